/** Simplified Chinese, all of it: the same keys as English, or it does not compile. */
import type { en } from './en.ts';
import { bypass } from './zh-CN/bypass.ts';
import { codes } from './zh-CN/codes.ts';
import { common } from './zh-CN/common.ts';
import { dashboard } from './zh-CN/dashboard.ts';
import { onboarding } from './zh-CN/onboarding.ts';
import { popup } from './zh-CN/popup.ts';
import { states } from './zh-CN/states.ts';

export const zhCN: Readonly<Record<keyof typeof en, string>> = {
  ...common,
  ...codes,
  ...bypass,
  ...states,
  ...popup,
  ...dashboard,
  ...onboarding,
};
