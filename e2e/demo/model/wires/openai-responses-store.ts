/**
 * What the Responses server keeps between requests: answers, the items in them, conversations. In memory, the newest thousand of each,
 * shared by every server of this process; ids tell them apart.
 */
import { randomBytes } from 'node:crypto';
import type { Json } from '../shape.ts';

const MOST = 1000;

/** Everything said up to and with an answer: what a request that names it goes on from. */
type Items = readonly Json[];

const answers = new Map<string, Items>();
const items = new Map<string, Json>();
const conversations = new Map<string, Items>();

function keep<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id);
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}

function keepItems(list: Items): void {
  for (const item of list) if (typeof item.id === 'string') keep(items, item.id, item);
}

/** Keeps an answer, with all that came before it. */
export function keepAnswer(id: string, history: Items): void {
  keep(answers, id, history);
  keepItems(history);
}

/** A new conversation that opens with these items. */
export function openConversation(history: Items): string {
  const id = `conv_${randomBytes(24).toString('hex')}`;
  keepConversation(id, history);
  return id;
}

/** Everything said in a conversation so far. */
export function keepConversation(id: string, history: Items): void {
  keep(conversations, id, history);
  keepItems(history);
}

export const answerOf = (id: string): Items | undefined => answers.get(id);
export const itemOf = (id: string): Json | undefined => items.get(id);
export const conversationOf = (id: string): Items | undefined => conversations.get(id);
