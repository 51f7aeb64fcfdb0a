/**
 * Every setting of the companion in one place: name, default, check, and the words a person reads about it.
 */
import { DEFAULT_FOLD } from '@throughline/shared/fold/budget';
import * as v from 'valibot';
import { LOG_LEVELS } from './log.ts';
import { approvedOrigin } from './upstream/rules.ts';

export interface Option {
  readonly name: string;
  readonly fallback?: unknown;
  readonly schema: v.GenericSchema;
  /** "must be …" */
  readonly says: string;
  readonly unit: string;
  /** Accepted and checked, but nothing reads it yet: `--print-config` says so. */
  readonly unused?: true;
  /** Environment text is taken as it is, not as JSON. */
  readonly text?: true;
}

const whole = (low: number, high: number) => v.pipe(v.number(), v.integer(), v.minValue(low), v.maxValue(high));
const ratio = v.pipe(v.number(), v.minValue(0.01), v.maxValue(1));
const origin = v.pipe(
  v.string(),
  v.check((text) => approvedOrigin(text) !== null),
);

export const OPTIONS: readonly Option[] = [
  {
    name: 'port',
    fallback: 4747,
    schema: whole(0, 65535),
    says: 'a port number, 0 to 65535 (0: any free one)',
    unit: 'TCP port on 127.0.0.1.',
  },
  {
    name: 'data',
    schema: v.pipe(v.string(), v.minLength(1)),
    says: 'a directory',
    unit: 'Directory, made with mode 0700.',
    text: true,
  },
  {
    name: 'logLevel',
    fallback: 'warn',
    schema: v.picklist(LOG_LEVELS),
    says: `one of ${LOG_LEVELS.join(', ')}`,
    unit: 'Level; lines go to stderr and to throughline.log in the data directory.',
    text: true,
  },
  {
    name: 'fold.mode',
    fallback: DEFAULT_FOLD.mode,
    schema: v.picklist(['auto', 'background', 'tools', 'off']),
    says: 'auto, background, tools or off',
    unit: 'Mode; "tools" folds in the background as "auto" does, for now.',
    text: true,
  },
  {
    name: 'fold.windowTokens',
    fallback: DEFAULT_FOLD.windowTokens,
    schema: v.nullable(whole(256, 100_000_000)),
    says: 'a whole number of at least 256, or null (known per model)',
    unit: 'Tokens.',
  },
  {
    name: 'fold.triggerRatio',
    fallback: DEFAULT_FOLD.triggerRatio,
    schema: ratio,
    says: 'a number above 0 and up to 1',
    unit: 'Share of the window at which folding starts.',
  },
  {
    name: 'fold.targetRatio',
    fallback: DEFAULT_FOLD.targetRatio,
    schema: ratio,
    says: 'a number above 0 and up to 1',
    unit: 'Share of the window that folding aims for.',
  },
  {
    name: 'fold.keepMessages',
    fallback: DEFAULT_FOLD.keepMessages,
    schema: whole(1, 10_000),
    says: 'a whole number of at least 1',
    unit: 'Newest messages that are never folded.',
  },
  {
    name: 'fold.keepTokens',
    fallback: DEFAULT_FOLD.keepTokens,
    schema: whole(0, 100_000_000),
    says: 'a whole number of at least 0',
    unit: 'Newest tokens that are never folded.',
  },
  {
    name: 'fold.minTokens',
    fallback: DEFAULT_FOLD.minTokens,
    schema: whole(1, 100_000_000),
    says: 'a whole number of at least 1',
    unit: 'Tokens below which nothing is worth folding.',
  },
  {
    name: 'fold.minTurnsBetween',
    fallback: DEFAULT_FOLD.minTurnsBetween,
    schema: whole(0, 10_000),
    says: 'a whole number of at least 0',
    unit: 'Turns between two folds.',
  },
  {
    name: 'fold.summaryModel',
    fallback: DEFAULT_FOLD.summaryModel,
    schema: v.nullable(v.pipe(v.string(), v.minLength(1))),
    says: 'a model name, or null (the model of the conversation)',
    unit: 'Model name.',
    text: true,
  },
  {
    name: 'windows',
    fallback: {},
    schema: v.record(v.string(), v.record(v.string(), whole(256, 100_000_000))),
    says: 'an object {"<origin>": {"<model>": tokens}}',
    unit: "Tokens. The origin is the provider's, not the page's; for its model this goes before fold.windowTokens.",
  },
  {
    name: 'upstream.allow',
    fallback: [],
    schema: v.array(origin),
    says: 'a list of origins like "http://127.0.0.1:11434"',
    unit: 'Loopback and private origins that may be called.',
  },
  {
    name: 'upstream.firstByteSeconds',
    fallback: 600,
    schema: v.pipe(v.number(), v.minValue(0.05), v.maxValue(86_400)),
    says: 'a number of seconds above 0',
    unit: 'Seconds until the first byte of an answer.',
  },
  {
    name: 'upstream.idleSeconds',
    fallback: 120,
    schema: v.pipe(v.number(), v.minValue(0.05), v.maxValue(86_400)),
    says: 'a number of seconds above 0',
    unit: 'Seconds of silence inside an answer.',
  },
  {
    name: 'adoption',
    fallback: true,
    schema: v.boolean(),
    says: 'true or false',
    unit: "A fork takes its parent's summaries along.",
    unused: true,
  },
  {
    name: 'coverage',
    fallback: 'repair',
    schema: v.picklist(['repair', 'warn', 'off']),
    says: 'repair, warn or off',
    unit: 'What happens when a client rewrites its history.',
    text: true,
    unused: true,
  },
  {
    name: 'transcriptRender',
    fallback: true,
    schema: v.boolean(),
    says: 'true or false',
    unit: 'Covered history is left out by its stored position.',
    unused: true,
  },
  {
    name: 'retentionDays',
    fallback: 30,
    schema: whole(1, 36_500),
    says: 'a whole number of at least 1',
    unit: 'Days after its last use that a conversation stays on this disk; 7 at least, whatever is set.',
  },
];
