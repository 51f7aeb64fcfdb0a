/**
 * Draws public/icons/*.png: one long stroke that folds back into a smaller one. Run by hand when the drawing changes.
 *
 * Plain distance fields and node's zlib, so that the icons need no drawing package and come out the same everywhere.
 */
import { writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

const GROUND = [22, 78, 99];
const INK = [244, 250, 252];
const SAMPLES = 4;

/** Corners of the stroke in unit coordinates, with the half width there. */
const STROKE = [
  [0.2, 0.3, 0.075],
  [0.7, 0.3, 0.075],
  [0.79, 0.38, 0.07],
  [0.79, 0.47, 0.066],
  [0.7, 0.55, 0.06],
  [0.48, 0.55, 0.055],
  [0.415, 0.605, 0.05],
  [0.415, 0.665, 0.046],
  [0.48, 0.72, 0.042],
  [0.66, 0.72, 0.038],
];

function onStroke(x, y) {
  return STROKE.slice(1).some(([bx, by, bw], i) => {
    const [ax, ay, aw] = STROKE[i];
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const along = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
    return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay)) <= aw + along * (bw - aw);
  });
}

function onGround(x, y) {
  const radius = 0.22;
  const dx = Math.max(radius - x, x - (1 - radius), 0);
  const dy = Math.max(radius - y, y - (1 - radius), 0);
  return Math.hypot(dx, dy) <= radius;
}

function pixel(size, px, py) {
  let ground = 0;
  let ink = 0;
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    const x = (px + ((i % SAMPLES) + 0.5) / SAMPLES) / size;
    const y = (py + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES) / size;
    if (onGround(x, y)) ground++;
    if (onStroke(x, y)) ink++;
  }
  const share = ground === 0 ? 0 : ink / ground;
  return [
    ...GROUND.map((g, c) => Math.round(g + (INK[c] - g) * Math.min(1, share))),
    Math.round((255 * ground) / SAMPLES ** 2),
  ];
}

function crc(bytes) {
  let c = ~0;
  for (const byte of bytes) {
    c ^= byte;
    for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
  }
  return ~c >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

function png(size) {
  const rows = Buffer.alloc(size * (1 + size * 4));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) rows.set(pixel(size, x, y), y * (1 + size * 4) + 1 + x * 4);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

for (const size of [16, 32, 48, 128]) {
  writeFileSync(new URL(`../public/icons/${size}.png`, import.meta.url), png(size));
}
