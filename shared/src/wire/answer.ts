/**
 * Gathering an answer piece by piece, in the order it comes.
 *
 * The outcome is `complete` only when the wire's own end was seen and nothing contradicted it; what cannot be understood makes
 * it incomplete and its usage unknown, so nothing is ever counted or committed from half an answer.
 */
import { canonicalArguments } from '#base/canonical';
import type { Answer, Usage } from './wire.ts';

const UNKNOWN_USAGE: Usage = { fresh: null, cached: null, written: null, output: null };

/** The later figure where there is one: providers repeat totals, they do not send parts. A zero never replaces a figure. */
export function later(known: number | null, told: number | null): number | null {
  if (told === null || (told === 0 && known !== null)) return known;
  return told;
}

interface GatheredCall {
  name: string;
  readonly id: string | null;
  arguments: string;
}

export class Gathering {
  #text: string[] = [];
  #reasoning: string[] = [];
  #calls: GatheredCall[] = [];
  /** The call that pieces under this key belong to; a new id under an old key is a new call. */
  #open = new Map<string, GatheredCall>();
  #broken = false;
  #failed = false;
  #ended = false;
  /** Provider's stop reason. */
  stop: string | null = null;

  text(piece: string | null): void {
    if (piece !== null) this.#text.push(piece);
  }

  reasoning(piece: string | null): void {
    if (piece !== null) this.#reasoning.push(piece);
  }

  /** A piece of the call known by `key`; calls stand in order of first appearance. */
  call(key: string, piece: { id?: string | null; name?: string | null; arguments?: string | null }): void {
    const id = piece.id || null;
    let call = this.#open.get(key);
    if (call === undefined || (id !== null && call.id !== null && id !== call.id)) {
      call = { name: '', id, arguments: '' };
      this.#open.set(key, call);
      this.#calls.push(call);
    }
    if (call.name === '') call.name = piece.name ?? '';
    call.arguments += piece.arguments ?? '';
  }

  /** A further piece of arguments for a call already begun; pieces of anything else (a server's own tool) are dropped. */
  callPiece(key: string, piece: string | null): void {
    const call = this.#open.get(key);
    if (call !== undefined) call.arguments += piece ?? '';
  }

  /** The wire's own end was seen. */
  end(): void {
    this.#ended = true;
  }

  /** The provider reported an error. */
  fail(): void {
    this.#failed = true;
  }

  /** Something made no sense. */
  giveUp(): void {
    this.#broken = true;
  }

  answer(usage: Usage): Answer {
    const complete = this.#ended && !this.#broken;
    return {
      text: this.#text.join(''),
      reasoning: this.#reasoning.join(''),
      calls: this.#calls.map((call) => ({ name: call.name, arguments: canonicalArguments(call.arguments) })),
      usage: this.#broken ? UNKNOWN_USAGE : usage,
      outcome: this.#failed ? 'error' : complete ? 'complete' : 'incomplete',
      stop: this.stop,
    };
  }
}
