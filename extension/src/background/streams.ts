/**
 * Streams on the link: numbers them, gives every frame to its owner, and tells all owners when the companion is lost.
 */
import type { BinaryFrame } from '@throughline/shared/protocol/binary';
import type { CompanionToExtension } from '@throughline/shared/protocol/frames';

/** Frames that belong to one stream. */
export type StreamFrame = Extract<CompanionToExtension, { readonly stream: number }>;

interface StreamOwner {
  onFrame(frame: StreamFrame): void;
  onChunk(bytes: Uint8Array): void;
  onLost(): void;
}

export interface Streams {
  /** Null when 64 streams are open. */
  open(owner: StreamOwner): number | null;
  close(stream: number): void;
  frame(frame: StreamFrame): void;
  bytes(frame: BinaryFrame): void;
  lost(): void;
  count(): number;
}

const MAX_STREAMS = 64;

/** `onBusy` is told when the first stream opens and when the last one closes. */
export function createStreams(onBusy: (busy: boolean) => void): Streams {
  const owners = new Map<number, StreamOwner>();
  let next = 1;
  const close = (stream: number) => {
    if (owners.delete(stream) && owners.size === 0) onBusy(false);
  };
  return {
    open(owner) {
      if (owners.size >= MAX_STREAMS) return null;
      const stream = next;
      next = next === 0xffffffff ? 1 : next + 1;
      owners.set(stream, owner);
      if (owners.size === 1) onBusy(true);
      return stream;
    },
    close,
    frame: (frame) => owners.get(frame.stream)?.onFrame(frame),
    bytes: (frame) => owners.get(frame.stream)?.onChunk(frame.payload),
    lost() {
      for (const [stream, owner] of [...owners]) {
        close(stream);
        owner.onLost();
      }
    },
    count: () => owners.size,
  };
}
