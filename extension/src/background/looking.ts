/** How far a look for the companion has come, for those who wait for it. */
export interface Looking {
  /** Resolves when the first question is out. */
  readonly asked: Promise<void>;
  /** Resolves when the paired companion has answered. */
  readonly heard: Promise<true>;
  asking(): void;
  found(): void;
}

export function createLooking(): Looking {
  let asking: () => void = () => undefined;
  let found: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    asking = resolve;
  });
  const heard = new Promise<true>((resolve) => {
    found = () => resolve(true);
  });
  return { asked, heard, asking: () => asking(), found: () => found() };
}
