import { describe, expect, it } from 'vitest';
import { conversationIn } from '../../src/content/conversation.ts';

describe('the conversation id in an address', () => {
  it.each([
    ['http://127.0.0.1/#/chat/6fa459ea-ee8a-3ca4-894e-db77e160355e', '6fa459ea-ee8a-3ca4-894e-db77e160355e'],
    [
      'https://a.example/u/11111111-2222-4333-8444-555555555555/c/6fa459ea-ee8a-3ca4-894e-db77e160355e?x=1',
      '6fa459ea-ee8a-3ca4-894e-db77e160355e',
    ],
    ['https://a.example/sessions/V1StGXR8_Z5jdHi6B-myT', 'V1StGXR8_Z5jdHi6B-myT'],
    ['https://a.example/c/0f8fad5bd9cb469f', '0f8fad5bd9cb469f'],
    ['https://a.example/?chatId=clh3am1f30000udoce5f8l0zq', 'clh3am1f30000udoce5f8l0zq'],
    ['https://a.example/#/chat?id=6fa459ea-ee8a-3ca4-894e-db77e160355e', '6fa459ea-ee8a-3ca4-894e-db77e160355e'],
  ])('is found in %s', (url, id) => expect(conversationIn(url)).toBe(id));

  it.each([
    'https://a.example/#/chat/1',
    'https://a.example/#/chat',
    'https://a.example/#/chat/conv-1764500000000',
    'https://a.example/chat/2024-11-30',
    'https://a.example/conversation-settings-page',
    'https://a.example/Getting-Started-With-Chat',
    'https://a.example/?token=V1StGXR8_Z5jdHi6B-myT',
    'https://a.example/#access_token=6fa459eaee8a3ca4894edb77e160355e',
    'https://a.example/12345678901234567890',
    'not a url',
  ])('is not seen in %s', (url) => expect(conversationIn(url)).toBeNull());
});
