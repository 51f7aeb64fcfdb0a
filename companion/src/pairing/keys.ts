/** The companion's own id and the bearer key of `/api`: made once per data directory, kept in private files. */
import { type DataFiles, readPrivateFile, writePrivateFile } from '../files.ts';
import { randomHex } from '../hash.ts';

/** Random id of this companion; extensions accept only the one they paired with. */
export function companionIdentity(files: DataFiles): string {
  const known = readPrivateFile(files.identity)?.trim();
  if (known !== undefined && /^companion-[0-9a-f]{32}$/.test(known)) return known;
  const made = `companion-${randomHex(16)}`;
  writePrivateFile(files.identity, `${made}\n`);
  return made;
}

/** The key that reads `/api`: 256 random bits, hex. */
export function apiKey(files: DataFiles): string {
  const known = readPrivateFile(files.apiKey)?.trim();
  if (known !== undefined && /^[0-9a-f]{64}$/.test(known)) return known;
  const made = randomHex(32);
  writePrivateFile(files.apiKey, `${made}\n`);
  return made;
}
