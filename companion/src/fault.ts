/**
 * An expected failure that a person reads: a code, one sentence, and what to do. Thrown only towards the CLI's top level.
 */
export class Fault extends Error {
  readonly code: string;
  readonly advice: string;
  readonly exit: 1 | 2;

  constructor(code: string, sentence: string, advice: string, exit: 1 | 2 = 1) {
    super(sentence);
    this.name = 'Fault';
    this.code = code;
    this.advice = advice;
    this.exit = exit;
  }

  /** The one line that goes to stderr. */
  line(): string {
    return `throughline: ${this.code}: ${this.message} ${this.advice}`;
  }
}
