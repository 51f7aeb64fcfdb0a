/**
 * Canonical JSON: the one text of a value, equal exactly when nothing of the value was lost or changed.
 *
 * Compact, keys sorted by UTF-16 code unit at every depth, strings as `JSON.stringify` writes them (lone surrogates as `\\ud8xx`).
 * A number is written as JavaScript prints it when that print is the same decimal value as the source; otherwise (beyond a
 * double's exactness, infinite, underflowing, negative zero, more digits than the double's print) it keeps its source text.
 * What cannot be carried faithfully, duplicate keys or nesting beyond 256, makes the WHOLE value stand as a JSON string of its
 * source. So a doubtful value may fail to match another; it never matches wrongly.
 */
import { type JsonDocument, type JsonNode, parseJson, rawOf, textOf } from './json.ts';

/** Text as a JSON string. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** The canonical form of one value of a document. Depth is counted from the value, wherever in the document it stands. */
export function canonicalJson(doc: JsonDocument, node: JsonNode): string {
  if (!doubtful(node)) return write(doc, node);
  const own = parseJson(rawOf(doc, node));
  if (own === null || doubtful(own.root)) return quote(rawOf(doc, node));
  return write(own, own.root);
}

/** The canonical form of call arguments that came as text: none at all is `{}`, text that is no JSON stands as itself. */
export function canonicalArguments(text: string): string {
  if (text === '') return '{}';
  const doc = parseJson(text);
  return doc === null ? quote(text) : canonicalJson(doc, doc.root);
}

function doubtful(node: JsonNode): boolean {
  if (node.kind === 'deep') return true;
  if (node.kind === 'object') return node.duplicate || node.members.some((entry) => doubtful(entry.value));
  return node.kind === 'array' && node.items.some(doubtful);
}

function write(doc: JsonDocument, node: JsonNode): string {
  switch (node.kind) {
    case 'object': {
      const members = node.members.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      return `{${members.map((entry) => `${quote(entry.key)}:${write(doc, entry.value)}`).join(',')}}`;
    }
    case 'array':
      return `[${node.items.map((item) => write(doc, item)).join(',')}]`;
    case 'string':
      return quote(textOf(doc, node));
    case 'number':
      return canonicalNumber(rawOf(doc, node));
    default:
      return rawOf(doc, node);
  }
}

/** A number's canonical text, by comparing decimals: no arithmetic on the value, so no rounding decides. */
function canonicalNumber(source: string): string {
  const value = Number(source);
  if (!Number.isFinite(value) || Object.is(value, -0)) return source;
  if (value === 0) return /^[^eE]*[1-9]/.test(source) ? source : '0';
  const printed = String(value);
  return decimal(printed) === decimal(source) ? printed : source;
}

/** Sign, significant digits and decimal exponent of a number's text (finite, not zero), as one comparable string. */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${text.startsWith('-') ? '-' : ''}${significant}e${power}`;
}
