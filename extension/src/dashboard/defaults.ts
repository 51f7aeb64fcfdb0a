/** Settings as they are before anyone changes them, and what counts as a number of days. Pure. */
import type { Settings } from '../panel-messages.ts';

export const DEFAULTS: Settings = { language: 'system', theme: 'system', badge: true, resend: true, retentionDays: 30 };

/** Whole days from 1 to 3650, or null: nonsense never reaches the store. */
export function retentionOf(typed: string): number | null {
  const days = Number(typed);
  return typed.trim() !== '' && Number.isInteger(days) && days >= 1 && days <= 3650 ? days : null;
}
