/**
 * The background's surroundings as plain objects: storage, link and port, with everything that was said written down.
 */

import type { ScopeId } from '@throughline/shared/base/brand';
import { BODY_LAST, parseBinary } from '@throughline/shared/protocol/binary';
import type { ExtensionToCompanion } from '@throughline/shared/protocol/frames';
import { createAsides } from '@throughline/shared/session/asides';
import { createFlights } from '@throughline/shared/session/flights';
import { type Answer, createAnswer } from '../../src/background/answer.ts';
import { createBodies } from '../../src/background/bodies.ts';
import type { Area } from '../../src/background/box.ts';
import type { SiteFacts } from '../../src/background/gate.ts';
import { createLane } from '../../src/background/lane.ts';
import type { Link } from '../../src/background/link.ts';
import { createLiveTurns } from '../../src/background/live.ts';
import { PATIENCE } from '../../src/background/patience.ts';
import { createStreams, type StreamFrame } from '../../src/background/streams.ts';
import type { PageOpen, TurnWorld } from '../../src/background/turns.ts';
import { createWarm } from '../../src/background/warm.ts';
import type { LedgerStore } from '../../src/ledger/dexie-store.ts';
import { memoryLedger } from '../../src/ledger/ledger.ts';
import type { BackgroundToContent } from '../../src/messages.ts';

export const SCOPE = 'scope-test' as ScopeId;
export const SITE = 'https://chat.example';
export const UPSTREAM = 'https://api.example';

export function fakeArea(): Area & { readonly kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>();
  return {
    kept,
    get: async (key) => (kept.has(key) ? { [key]: structuredClone(kept.get(key)) } : {}),
    set: async (items) => {
      for (const [key, value] of Object.entries(items)) kept.set(key, structuredClone(value));
    },
    remove: async (key) => void kept.delete(key),
  };
}

interface FakeLink extends Link {
  readonly sent: ExtensionToCompanion[];
  /** Body bytes by stream, in order of arrival; each entry is one whole transfer. */
  readonly bodies: Map<number, Uint8Array[]>;
  connected: boolean;
  known: boolean;
  /** Whether it answers when it is asked for a sign of life. */
  answers: boolean;
}

function fakeLink(): FakeLink {
  const pieces = new Map<number, Uint8Array[]>();
  const link: FakeLink = {
    sent: [],
    bodies: new Map(),
    connected: true,
    known: false,
    answers: true,
    state: () => (link.connected ? 'connected' : 'companion-off'),
    port: () => 4747,
    scope: () => (link.connected ? SCOPE : null),
    down: () => link.known,
    ready: async () => link.connected,
    alive: async () => link.connected && link.answers,
    send(frame) {
      if (link.connected) link.sent.push(frame);
      return link.connected;
    },
    sendBytes(bytes) {
      const frame = link.connected ? parseBinary(bytes) : null;
      if (!frame) return false;
      const sofar = [...(pieces.get(frame.stream) ?? []), frame.payload];
      pieces.set(frame.stream, sofar);
      if (frame.kind === BODY_LAST) {
        link.bodies.set(frame.stream, [
          ...(link.bodies.get(frame.stream) ?? []),
          Uint8Array.from(sofar.flatMap((one) => [...one])),
        ]);
        pieces.delete(frame.stream);
      }
      return true;
    },
    wake: () => undefined,
    restart: () => undefined,
  };
  return link;
}

export interface FakeWorld extends TurnWorld {
  readonly link: FakeLink;
  readonly ledger: LedgerStore;
  readonly learned: string[];
  resend: boolean;
  facts: SiteFacts | null;
}

export function fakeWorld(ledger: LedgerStore = memoryLedger('store')): FakeWorld {
  let clock = 1_000;
  const learned: string[] = [];
  const world: FakeWorld = {
    link: fakeLink(),
    ledger,
    learned,
    resend: true,
    facts: { upstreams: [], succeeded: [], bypass: [] },
    streams: createStreams(() => undefined),
    flights: createFlights(),
    bodies: createBodies(),
    warm: createWarm(),
    lane: createLane(),
    asides: createAsides(),
    live: createLiveTurns(),
    store: async () => ledger,
    restored: async () => true,
    tooLarge: () => false,
    site: async () => world.facts,
    paused: async () => false,
    settings: async () => ({ language: 'system', theme: 'system', badge: true, resend: world.resend, retentionDays: 30 }),
    noteSuccess: async (_site, upstream) => void learned.push(upstream),
    ask: (_site, origin) => void learned.push(`ask ${origin}`),
    noteDispatch: () => undefined,
    patience: PATIENCE,
    done: () => undefined,
    now: () => {
      clock += 1;
      return clock;
    },
    changed: () => undefined,
  };
  return world;
}

export interface Said {
  readonly messages: BackgroundToContent[];
  readonly answer: Answer;
  /** Terminal messages: native, end, error. */
  ends(): string[];
}

export function listen(id = 1): Said {
  const messages: BackgroundToContent[] = [];
  const answer = createAnswer(id, { bytes: true, post: (message) => void messages.push(message), onSettled: () => undefined });
  return {
    messages,
    answer,
    ends: () =>
      messages.flatMap((message) =>
        message.t === 'native' ? [`native ${message.code}`] : message.t === 'end' || message.t === 'error' ? [message.t] : [],
      ),
  };
}

export const talk = (...lines: readonly string[]) =>
  lines.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));

export const QUESTION = 'What should I pack for a week in Bergen?';

/** A chat request of the site, as the content script would hand it over. */
export function pageOpen(messages: readonly unknown[], over: Partial<PageOpen> & { readonly extra?: object } = {}): PageOpen {
  const { extra, ...rest } = over;
  const body = new TextEncoder().encode(JSON.stringify({ model: 'demo-1', stream: true, messages, ...extra }));
  return {
    site: SITE,
    tab: 7,
    document: 'document-1',
    conversation: null,
    request: { url: `${UPSTREAM}/v1/chat/completions`, method: 'POST', headers: [['content-type', 'application/json']] },
    body,
    key: '7:0:1',
    ...rest,
  };
}

const NOTHING = { fresh: null, cached: null, written: null, output: null };

/** The frames of an answer, by stream. */
export const frames: Readonly<Record<'dispatched' | 'refused' | 'resync', (stream: number) => StreamFrame>> & {
  head(stream: number, status?: number): StreamFrame;
  end(stream: number, outcome?: 'complete' | 'incomplete' | 'error' | 'aborted'): StreamFrame;
  error(stream: number, side: 'upstream' | 'companion'): StreamFrame;
} = {
  dispatched: (stream: number) => ({
    t: 'turn.dispatched',
    stream,
    blocks: [],
    tokens: { received: 10, sent: 10 },
    note: null,
  }),
  head: (stream: number, status = 200) => ({
    t: 'turn.head' as const,
    stream,
    status,
    statusText: '',
    headers: [['content-type', 'text/event-stream']] as [string, string][],
  }),
  end: (stream: number, outcome: 'complete' | 'incomplete' | 'error' | 'aborted' = 'complete') => ({
    t: 'turn.end' as const,
    stream,
    outcome,
    usage: NOTHING,
    tokens: { received: 10, sent: 10 },
    resent: false,
    quarantine: [],
    window: null,
  }),
  error: (stream: number, side: 'upstream' | 'companion') =>
    ({ t: 'turn.error', stream, code: 'broken', message: 'broken', side }) as const,
  refused: (stream: number) => ({ t: 'turn.refused', stream, code: 'nope', message: 'no' }) as const,
  resync: (stream: number) => ({ t: 'turn.resync', stream }) as const,
};

/** Lets everything that is queued happen; not for work on other threads (hashing by the browser's engine): see `until`. */
export const settle = () =>
  new Promise((resolve) => setTimeout(resolve, 0)).then(() => new Promise((resolve) => setTimeout(resolve, 5)));

/** Waits for something that must come, however busy the machine is. */
export async function until(condition: () => unknown): Promise<void> {
  for (const end = Date.now() + 20_000; !(await condition()); await settle()) {
    if (Date.now() > end) throw new Error('waited in vain');
  }
}
