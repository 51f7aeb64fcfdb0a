/** Commits sessions for ever and says each one's name once it is committed; its parent kills it. */
import { writeSync } from 'node:fs';
import { openDatabase } from '../../src/store/open.ts';
import { createSqliteStore } from '../../src/store/sqlite.ts';
import { commitFor } from './records.ts';

const [path = '', round = ''] = process.argv.slice(2);
const store = createSqliteStore(openDatabase(path, () => 0).database);
for (let i = 0; ; i += 1) {
  const session = `s-${round}-${i}`;
  if ((await store.commit(commitFor(session, 1, `text ${i}`.repeat(50)))) === 'committed') writeSync(1, `${session}\n`);
}
