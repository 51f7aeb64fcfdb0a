/** English, all of it. */
import { bypass } from './en/bypass.ts';
import { codes } from './en/codes.ts';
import { common } from './en/common.ts';
import { dashboard } from './en/dashboard.ts';
import { onboarding } from './en/onboarding.ts';
import { popup } from './en/popup.ts';
import { states } from './en/states.ts';

export const en = { ...common, ...codes, ...bypass, ...states, ...popup, ...dashboard, ...onboarding };
