/**
 * The pairing page: static, script-free, the same for everyone. The extension's content script reads the fragment (which never
 * reaches this server) and may change the text of `#throughline-outcome` through the DOM.
 */
import { createHash } from 'node:crypto';

const STYLE =
  'body{font:17px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem;color:#1d2329;background:#fbfbf9}' +
  'h1{font-size:1.4rem}code{background:#eceae4;padding:.1em .35em;border-radius:4px}' +
  '@media(prefers-color-scheme:dark){body{color:#e8e6e1;background:#16191d}code{background:#2a2f36}}';

export const PAIR_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pair this browser with Throughline</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Pair this browser with Throughline</h1>
<p id="throughline-outcome" role="status">The Throughline extension in this browser is being connected to the companion on this computer. This takes a second.</p>
<h2>If nothing happens</h2>
<ul>
<li>The extension must be installed and switched on in this browser, in this profile.</li>
<li>A pairing link works once, for two minutes. For a new one run <code>throughline pair</code> and open what it prints.</li>
<li>Or open the extension's popup, choose "Pair", and paste the link there.</li>
</ul>
<p>Nothing on this page leaves this computer. You can close the tab at any time.</p>
</main>
</body>
</html>
`;

const styleDigest = createHash('sha256').update(STYLE).digest('base64');

export const PAIR_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};
