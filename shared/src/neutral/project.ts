/**
 * Messages to turns: what identity sees of a request, in one of two domains.
 *
 * Invariant: a turn depends only on message content, never on ids, signatures, marks, the wire or the environment. The rules lose
 * some content on purpose (domain 2 drops reasoning); what they do not understand stands whole as an opaque turn, so a doubt may
 * cost a match and never makes one.
 */
import { callsOf, contentOf, opaqueTurn, piecesOf, reasoningOf, resultTurns, solidPieces, textOfPieces } from './content.ts';
import { isEnvironmentFrame } from './environment-frames.ts';
import type { Exchange, Message } from './message.ts';
import type { ContentPiece, Domain, Projection, Turn, TurnCall } from './turn.ts';

/** An assistant turn that further assistant messages may still join. */
interface Draft {
  readonly name: string | undefined;
  readonly pieces: ContentPiece[];
  readonly calls: TurnCall[];
  readonly span: number[];
}

/** The projection of a request in one domain. */
export function project(exchange: Exchange, domain: Domain): Projection {
  const turns: Turn[] = [];
  const spans: number[][] = [];
  let draft: Draft | null = null;
  const emit = (turn: Turn, span: number[]): void => {
    turns.push(turn);
    spans.push(span);
  };
  const close = (): void => {
    if (draft !== null) emit(assistantTurn(draft, domain), draft.span);
    draft = null;
  };

  let leading = true;
  for (const message of exchange.messages) {
    if (isEnvironment(exchange, message, domain, leading)) continue;
    leading = false;
    const opaque = opaqueTurn(exchange, message);
    if (opaque === null && message.role === 'assistant') {
      const added = assistantContent(message, domain);
      if (added === null) continue;
      // Two authors are two turns: merging them would lose who said what.
      if (draft !== null && draft.name !== message.name) close();
      draft ??= { name: message.name, pieces: [], calls: [], span: [] };
      draft.pieces.push(...added.pieces);
      draft.calls.push(...added.calls);
      draft.span.push(message.index);
      continue;
    }
    close();
    for (const turn of opaque === null ? plainTurns(message) : [opaque]) emit(turn, [message.index]);
  }
  close();
  return { domain, turns, spans };
}

/**
 * System text is environment in the leading run, anywhere on the Responses wire (there it is the host's state) and anywhere in
 * domain 3. A client's environment frame does not end the leading run: it counts as absent.
 */
function isEnvironment(exchange: Exchange, message: Message, domain: Domain, leading: boolean): boolean {
  if (message.role !== 'system' && message.role !== 'developer') return isEnvironmentFrame(message);
  return leading || domain === 3 || exchange.wire === 'openai-responses';
}

/** What an assistant message adds to its turn, or null when nothing of it counts. */
function assistantContent(message: Message, domain: Domain): { pieces: ContentPiece[]; calls: TurnCall[] } | null {
  const reasoning = domain === 3 ? reasoningOf(message.parts) : '';
  const pieces = [reasoning, ...piecesOf(message.parts)].filter((piece) => piece !== '');
  const calls = callsOf(message.parts);
  return pieces.length === 0 && calls.length === 0 ? null : { pieces, calls };
}

function assistantTurn(draft: Draft, domain: Domain): Turn {
  const name = draft.name === undefined ? {} : { name: draft.name };
  if (draft.calls.length === 0) return { role: 'assistant', content: contentOf(draft.pieces), ...name };
  const text = domain === 3 ? textOfPieces(draft.pieces) : '';
  const pieces = solidPieces(draft.pieces);
  return {
    role: 'assistant',
    calls: draft.calls,
    ...(text === '' ? {} : { text }),
    ...(pieces.length === 0 ? {} : { pieces }),
    ...name,
  };
}

/** Turns of a user, tool or system message: its results first, then what else it says. */
function plainTurns(message: Message): Turn[] {
  const results = resultTurns(message.parts);
  const content = contentOf(piecesOf(message.parts));
  if (results.length > 0 && content === '') return results;
  if (message.role === 'tool') return [...results, { role: 'tool', content }];
  const name = message.name === undefined ? {} : { name: message.name };
  return [...results, { role: message.role === 'user' ? 'user' : 'system', content, ...name }];
}
