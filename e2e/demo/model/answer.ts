/**
 * What the demo model says. It knows only what is in the request, and the same request gets the same answer.
 *
 * A fact is a sentence `The <key> is <value>.` anywhere in the prompt; `What is the <key>?` is answered with the exact value of its
 * last mention, or with "I do not know." Nothing is remembered between requests.
 */
import type { Asked, Call } from './wire.ts';

const FACT = /\bthe ([\p{L}\p{N}][\p{L}\p{N} '-]{1,60}?) is ([^.?!\n]{1,80})\./giu;
const QUESTION = /\bwhat is the ([\p{L}\p{N}][\p{L}\p{N} '-]{1,60}?)\?/giu;
const CALL = /\bcall ([\w-]{1,64}) with (\{.*\})/is;

const UNKNOWN = 'I do not know.';

const normal = (key: string): string => key.trim().toLowerCase().replace(/\s+/g, ' ');

/** Facts stated in these texts; a later mention replaces an earlier one. */
function factsIn(texts: readonly string[]): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const text of texts) {
    for (const match of text.matchAll(FACT)) facts.set(normal(match[1] ?? ''), (match[2] ?? '').trim());
  }
  return facts;
}

/** A small deterministic generator, so that replies vary with the question and never with the clock. */
function seeded(text: string): () => number {
  let state = 2166136261;
  for (let i = 0; i < text.length; i += 1) state = Math.imul(state ^ text.charCodeAt(i), 16777619);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    return ((state ^ (state >>> 13)) >>> 0) / 4294967296;
  };
}

const PATTERNS = [
  (a: string, b: string) => `A good place to start is ${a}, because it decides how ${b} behaves later.`,
  (a: string, b: string) =>
    `In practice ${a} and ${b} pull in different directions, so write down which of them matters more to you.`,
  (a: string, b: string) => `Many people change ${a} first and only then notice that ${b} needed the attention.`,
  (a: string, b: string) => `If ${a} turns out to be slow, look at ${b} before you add anything new.`,
  (a: string, b: string) => `It helps to try ${a} on a small scale, with ${b} left as it was.`,
  (a: string, b: string) => `You can usually keep ${b} simple as long as somebody owns ${a}.`,
  (a: string, b: string) => `Ask yourself what would have to be true for ${a} to make ${b} unnecessary.`,
  (a: string, b: string) => `A short checklist for ${a} saves a surprising amount of work on ${b}.`,
  (a: string, b: string) => `When ${a} is finished, compare it with ${b} and note what surprised you.`,
  (a: string, b: string) => `The cheap version of ${a} often carries ${b} much further than expected.`,
];
const COMMON = new Set(
  'about after again around behind always also because been before could does from have into just like more only other please should some tell than that their them then there these they this what when where which while will with would your'.split(
    ' ',
  ),
);

/** Longer plain words of a text; names and numbers are left out, so that a reply never repeats a fact. */
function topics(text: string): string[] {
  const found = text.match(/(?<![\p{L}\p{N}-])\p{Ll}{5,}(?![\p{L}\p{N}-])/gu) ?? [];
  const words = [...new Set(found)].filter((word) => !COMMON.has(word));
  return words.length >= 2 ? words : [...words, 'the plan', 'the details', 'the next step'];
}

function chat(question: string, sentences: number): string {
  const next = seeded(question);
  const words = topics(question);
  const pick = (): string => words[Math.floor(next() * words.length)] ?? 'the plan';
  const lines: string[] = [];
  for (let i = 0; i < sentences; i += 1) {
    const a = pick();
    let b = pick();
    if (a === b) b = words[(words.indexOf(a) + 1) % words.length] ?? 'the rest';
    const offset = Math.floor(next() * PATTERNS.length);
    lines.push((PATTERNS[(offset + i) % PATTERNS.length] ?? PATTERNS[0])?.(a, b) ?? '');
  }
  const paragraphs: string[] = [];
  for (let i = 0; i < lines.length; i += 4) paragraphs.push(lines.slice(i, i + 4).join(' '));
  return paragraphs.join('\n\n');
}

/** What a person asked last. */
export function lastQuestion(asked: Asked): string {
  return asked.said.findLast((said) => said.role === 'user' && said.text.trim() !== '')?.text ?? '';
}

/** `Call NAME with {json}` asks for a call of a declared tool; a result that is already there is answered in words. */
function callIn(question: string, asked: Asked): Omit<Call, 'id'> | null {
  const [, name = '', input = ''] = CALL.exec(question) ?? [];
  if (!asked.tools.includes(name) || asked.said.at(-1)?.text !== question) return null;
  try {
    JSON.parse(input);
  } catch {
    // Not JSON: an ordinary sentence.
    return null;
  }
  return { name, arguments: input };
}

/** The answer's text and calls. `sentences` is the length of a reply that is not about facts. */
export function answer(asked: Asked, sentences: number): { text: string; call: Omit<Call, 'id'> | null } {
  const question = lastQuestion(asked);
  const call = callIn(question, asked);
  if (call !== null) return { text: '', call };
  const asks = [...question.matchAll(QUESTION)].map((match) => normal(match[1] ?? ''));
  if (asks.length > 0) {
    const facts = factsIn([asked.system, ...asked.said.map((said) => said.text)]);
    return { text: asks.map((key) => facts.get(key) ?? UNKNOWN).join('\n'), call: null };
  }
  return { text: chat(question, sentences), call: null };
}
