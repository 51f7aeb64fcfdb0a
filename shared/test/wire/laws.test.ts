import { wireLaws } from '../laws/wire.laws.ts';
import { anthropic, gemini, ollama, openai, responses } from './goldens.ts';

wireLaws(openai.wire, openai.goldens);
wireLaws(responses.wire, responses.goldens);
wireLaws(anthropic.wire, anthropic.goldens);
wireLaws(gemini.wire, gemini.goldens);
wireLaws(ollama.wire, ollama.goldens);
