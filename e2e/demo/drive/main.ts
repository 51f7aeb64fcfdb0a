/**
 * `npm run demo`: a long scripted conversation through a real browser, a row a turn, then the goals; exit 1 when one is missed.
 * Screenshots of page, popup and dashboard go to demo-output/.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, until } from '../../fixtures/process.ts';
import { type Asked, blankGoals, type Goal, goalLine, longGoals } from './goals.ts';
import { takePictures } from './pictures.ts';
import { heading, row } from './rows.ts';
import { type Fact, makeFacts, questionFor, smallTalk } from './script.ts';
import { type Stage, setStage, snapshot } from './stage.ts';
import { say, sentTexts, type Turn } from './talk.ts';

const OUTPUT = join(ROOT, 'demo-output');
const TURNS = 44;

function askedIn(stage: Stage, fact: Fact, turn: Turn): Asked {
  const texts = turn.entry === null ? [fact.message] : sentTexts(stage, turn.entry);
  return { fact, reply: turn.reply, original: texts.some((text) => text.includes(fact.message)) };
}

/** The long conversation: facts first, questions last. */
async function converse(stage: Stage): Promise<Goal[]> {
  const facts = makeFacts(3);
  const turns: Turn[] = [];
  const asked: Asked[] = [];
  await stage.page.getByTestId('long').check();
  console.log(`\nFacts of this run: ${facts.map(({ key, value }) => `the ${key} is ${value}`).join('; ')}.\n\n${heading()}`);
  const next = async (text: string): Promise<Turn> => {
    const turn = await say(stage, text, turns.length + 1, turns.filter(({ view }) => view !== null).length);
    turns.push(turn);
    console.log(row(turn));
    return turn;
  };
  for (const { message } of facts) await next(message);
  while (turns.length < TURNS - facts.length) await next(smallTalk(turns.length));
  for (const fact of facts) asked.push(askedIn(stage, fact, await next(questionFor(fact))));
  console.log(`\n${asked.map(({ fact, reply }) => `${questionFor(fact)} → ${reply}`).join('\n')}`);
  await takePictures(stage, OUTPUT);
  return longGoals(turns, asked, turns.at(-1)?.view?.stats.folds ?? 0);
}

/** The negative control: a new chat, one fact, a fold with an empty summary. */
async function control(stage: Stage): Promise<Goal[]> {
  const [fact] = makeFacts(1);
  if (fact === undefined) throw new Error('No fact.');
  let count = 0;
  console.log(`\nNegative control: summaries without content. The ${fact.key} is ${fact.value}.\n\n${heading()}`);
  stage.demo.options.blankSummaries = true;
  await stage.page.getByTestId('new-chat').click();
  const next = async (text: string): Promise<Turn> => {
    const turn = await say(stage, text, count + 1, count);
    count += 1;
    console.log(row(turn));
    return turn;
  };
  await next(fact.message);
  const before = askedIn(stage, fact, await next(questionFor(fact)));
  // Enough that something lies before the recent zone, which is never folded.
  while (count < 16) await next(smallTalk(count));
  const session = (await snapshot(stage)).session?.session;
  await stage.browser.ask({ verb: 'fold.now', session });
  await until('the control has folded', async () => ((await snapshot(stage)).session?.blocks ?? 0) > 0, 15);
  const after = askedIn(stage, fact, await next(questionFor(fact)));
  console.log(`\n${questionFor(fact)} → before ${before.reply}, after ${after.reply}`);
  return blankGoals([before], [after]);
}

mkdirSync(OUTPUT, { recursive: true });
const began = Date.now();
console.log('Starting the demo model, the companion and a browser …');
const stage = await setStage();
let goals: Goal[];
try {
  goals = [...(await converse(stage)), ...(await control(stage))];
} finally {
  await stage.dispose();
}
console.log(`\n${goals.map(goalLine).join('\n')}`);
console.log(`\nPictures are in ${OUTPUT}. ${Math.round((Date.now() - began) / 1_000)} s.`);
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
