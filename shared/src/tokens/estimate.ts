/**
 * The one token estimate, used everywhere a provider has not reported a figure.
 *
 * CJK-aware: about 4 ASCII characters a token, 0.75 token a CJK character, 0.5 any other (within 15 % of o200k on prose, code,
 * CJK and JSON; a plain length/4 is 61 % too low on CJK).
 */
