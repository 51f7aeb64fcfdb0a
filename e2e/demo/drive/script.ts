/**
 * What the unattended demo says: facts with values nobody could know before this run, then a long ordinary conversation, then questions.
 */
import { randomInt } from 'node:crypto';

export interface Fact {
  readonly key: string;
  readonly value: string;
  /** The whole message that tells it. */
  readonly message: string;
}

const COLOURS = ['amber', 'cobalt', 'crimson', 'ivory', 'jade', 'ochre', 'scarlet', 'teal', 'umber', 'violet'];
const BIRDS = ['bittern', 'curlew', 'dunlin', 'egret', 'fulmar', 'heron', 'kestrel', 'osprey', 'plover', 'siskin'];
const pick = (words: readonly string[]): string => words[randomInt(words.length)] ?? '';
const secret = (): string => `${pick(COLOURS)}-${pick(BIRDS)}-${randomInt(1_000, 10_000)}`;

const TELLINGS: readonly (readonly [string, (sentence: string) => string])[] = [
  [
    'gate code of the north shed',
    (fact) =>
      `Let us plan the garden for next year. Before we start, something to keep in mind for later. ${fact} I keep forgetting it, and the neighbours ask me about it every weekend.`,
  ],
  [
    'order number of the greenhouse',
    (fact) =>
      `The supplier wrote this morning and sounded rather unsure about delivery. ${fact} Could you suggest how to answer politely?`,
  ],
  [
    'name of the old pump',
    (fact) =>
      `My uncle named everything he owned, which makes reading his notebooks quite an adventure. ${fact} What would you do with such a machine?`,
  ],
];

/** Facts of one run. */
export function makeFacts(count: number): Fact[] {
  return TELLINGS.slice(0, count).map(([key, telling]) => {
    const value = secret();
    return { key, value, message: telling(`The ${key} is ${value}.`) };
  });
}

const SUBJECTS = [
  ['compost', 'kitchen scraps', 'autumn leaves', 'a wooden bin', 'smell'],
  ['raised beds', 'drainage', 'gravel', 'untreated larch', 'weeds'],
  ['tomatoes', 'pruning', 'side shoots', 'canvas ties', 'late blight'],
  ['watering', 'rain barrels', 'soaker hoses', 'mulch', 'hot weeks'],
  ['bees', 'wild flowers', 'mowing less often', 'a quiet corner', 'stings'],
  ['apple trees', 'grafting', 'winter pruning', 'canker', 'storage'],
  ['paths', 'crushed stone', 'edging', 'slopes', 'wheelbarrows'],
  ['the greenhouse', 'ventilation', 'shading', 'heating', 'condensation'],
  ['herbs', 'sandy soil', 'drying', 'mint that spreads', 'kitchen use'],
  ['potatoes', 'earthing up', 'crop rotation', 'beetles', 'cellars'],
];
const OPENINGS = [
  'Let us talk about',
  'Next I wonder about',
  'Another subject is',
  'Please help me think about',
  'I would also like to understand',
];
const CONCERNS = [
  'The difficulty seems to be that advice from books contradicts what the neighbours do, and both sound convincing.',
  'Money matters less than effort, because weekends are short and the weather rarely cooperates.',
  'Nothing should need attention more than once every few days, since everybody here works full time.',
  'Children play there as well, so whatever happens has to be forgiving and reasonably safe.',
];

/** The n-th ordinary message: a paragraph about the garden, different for every n. */
export function smallTalk(n: number): string {
  const subject = SUBJECTS[n % SUBJECTS.length] ?? [];
  const round = Math.floor(n / SUBJECTS.length);
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = subject;
  const detail = [second, third, fourth, fifth][round % 4];
  return (
    `${OPENINGS[(n + round) % OPENINGS.length]} ${first}, especially ${detail}. ` +
    `People mention ${second} and ${third} together, while ${fourth} comes up whenever ${fifth} becomes a problem. ` +
    `${CONCERNS[(n + round) % CONCERNS.length]} How would you approach it, and which mistakes should beginners avoid?`
  );
}

export const questionFor = (fact: Fact): string => `What is the ${fact.key}?`;
