/**
 * Cores: the unit of the ledger. One text, reasoning, call, result or media piece of a message.
 */
import type { CoreId } from '#base/brand';

export type CoreKind = 'text' | 'reasoning' | 'tool-call' | 'tool-result' | 'media' | 'opaque';

export interface Core {
  readonly id: CoreId;
  readonly role: string;
  readonly kind: CoreKind;
  /** Index of the message in the exchange. */
  readonly message: number;
  /** Text that the id was made from. */
  readonly text: string;
  readonly callId?: string;
  readonly toolName?: string;
  /** Estimated tokens of this core. */
  readonly tokens: number;
}
