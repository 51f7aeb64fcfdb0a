/** Small line icons. Decoration only: a word always stands beside them, so they are hidden from screen readers. */

const PATHS = {
  logo: 'M3 4.5h10M3 8h6.5a2.2 2.2 0 1 1 0 4.4H6.5M6.5 12.4l2-1.8M6.5 12.4l2 1.8',
  power: 'M8 2.2v5M4.6 4.4a5 5 0 1 0 6.8 0',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  forked: 'M4.5 2.5v11M4.5 9.5c0-3 6-2 6-5M10.5 4.5v-2M9 4l1.5-1.6L12 4',
  truncated: 'M12 4H7.5a4 4 0 0 0 0 8H12M3 2.5v2M3 7v2M3 11.5v2',
  derived: 'M3.5 2.5v5a3 3 0 0 0 3 3h6M10 7.8l2.7 2.7-2.7 2.7',
  continued: 'M2.5 8h3M7 8h6M10.5 5.2 13.3 8l-2.8 2.8',
  root: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z',
  check: 'M3 8.6l3.2 3.2L13 4.8',
  cross: 'M4 4l8 8M12 4l-8 8',
  open: 'M6 3.5 10.5 8 6 12.5',
  back: 'M10 3.5 5.5 8 10 12.5',
  out: 'M9 3h4v4M13 3 7.5 8.5M11.5 9.5V13H3V4.5h3.5',
  settings: 'M2 5h6.3M12.3 5H14M10.3 3a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM2 11h1.7M7.7 11H14M5.7 9a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  fold: 'M3 3.5h10M3 12.5h10M8 5v2.2M6.8 6.2 8 7.4l1.2-1.2M8 11V8.8M6.8 9.8 8 8.6l1.2 1.2',
  undo: 'M5.5 3 2.8 5.7l2.7 2.7M3 5.7h6a3.6 3.6 0 0 1 0 7.2H6',
  pin: 'M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5',
  stream: 'M2 8h2l1.5-4 3 8L10.5 8H14',
  info: 'M8 7.2v4M8 4.6v.2M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z',
  alert: 'M8 2.2 14.2 13H1.8zM8 6.4v3.2M8 11.3v.2',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
