import { wireLaws } from '../laws/wire.laws.ts';
import { anthropic, openai } from './goldens.ts';

wireLaws(openai.wire, openai.goldens);
wireLaws(anthropic.wire, anthropic.goldens);
