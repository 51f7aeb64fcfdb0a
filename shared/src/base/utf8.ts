/**
 * UTF-8 in and out. The two globals are pure functions that exist in every JavaScript world; they are declared here, and only
 * here, because `shared` compiles without DOM or Node types.
 */
declare const TextEncoder: { new (): { encode(text: string): Uint8Array } };
declare const TextDecoder: {
  new (
    label: string,
    options: { fatal: boolean; ignoreBOM: boolean },
  ): { decode(bytes?: Uint8Array, options?: { stream: boolean }): string };
};

const encoder = new TextEncoder();

/** UTF-8 bytes of well-formed text (a lone surrogate becomes U+FFFD, so never hash raw text: hash its JSON form). */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of the bytes, or null when they are not well-formed UTF-8. A byte order mark is kept, so encoding gives the same bytes. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A decoder that carries a character split across chunks; malformed bytes become U+FFFD. */
export function streamingUtf8(): { decode(chunk: Uint8Array): string; end(): string } {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  return {
    decode: (chunk) => decoder.decode(chunk, { stream: true }),
    end: () => decoder.decode(),
  };
}
