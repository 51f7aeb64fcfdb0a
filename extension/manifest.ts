/**
 * The manifest, as a function of the browser.
 *
 * Invariant: least authority. Nothing is injected anywhere but on the pairing page; sites are optional hosts that the person grants
 * one by one; the only network destination the extension's own pages may reach is loopback. Failure direction: a right that is
 * missing here costs coverage, never privacy.
 */

export type BrowserName = 'chrome' | 'firefox';

export interface ManifestOptions {
  readonly browser: BrowserName;
  readonly version: string;
  /**
   * Grants every host at install. Headless browsers cannot click the permission prompt, so browser tests load this build.
   * It is never shipped: `npm run build` makes the other one.
   */
  readonly allHosts: boolean;
  /** Entry pages and scripts that exist in this checkout. */
  readonly exists: (path: string) => boolean;
}

/** Public half of the key that fixes the id of unpacked builds (hmenbkkodchbakehdhboildooiakbldk). The private half was not kept. */
const PUBLIC_KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2ihN3zOHFlBAfpXl6uPeEX0uanO+LT2nVcov6n43xwVWuwSmsFbnVFQ5OXlHLbWBXtgiOTK6rQRJvtE5' +
  'e//8gNoiOPJgatxi7FURpqu3OUqVNbCSXWxGCi24EaGP1dM1qw6g2tEhx4pVCS7tNzehpv57xEPxbEuHBjFiMbnq4Tag9THKzNgLzLsCmEYUxDrirKJgl5K+yS96' +
  '8XPSWHrLcXV0XP23B/dKsLBsIyYHPh6jVKAg/xMNBhCtsUT1TG6pG0NbzD8t+WMdnvpU9WhbebkTIuFiMYGIUe8ctheSm+KO7gTEceEWUeI+lN3KotVQNQaeb2hu' +
  'yTyTFUSzlur3FQIDAQAB';

/** Explicit in both browsers: Firefox's default would rewrite ws: to wss:. Loopback is the only place to connect to. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  'connect-src http://127.0.0.1:* ws://127.0.0.1:*',
  "require-trusted-types-for 'script'",
].join('; ');

const ICONS = { 16: 'icons/16.png', 32: 'icons/32.png', 48: 'icons/48.png', 128: 'icons/128.png' };
const EVERY_SITE = ['https://*/*', 'http://*/*'];

const POPUP = 'src/popup/index.html';
const DASHBOARD = 'src/dashboard/index.html';
const BACKGROUND = 'src/background/main.ts';

/** The manifest of this build, ready for the bundler. */
export function manifest(options: ManifestOptions): Record<string, unknown> {
  const { browser, exists } = options;
  return {
    manifest_version: 3,
    name: '__MSG_name__',
    description: '__MSG_description__',
    version: options.version,
    default_locale: 'en',
    icons: ICONS,
    action: {
      default_title: '__MSG_name__',
      default_icon: ICONS,
      ...(exists(POPUP) ? { default_popup: POPUP } : {}),
      // Firefox puts the icon into a menu otherwise, where nobody sees its badge. Chrome leaves that to the person.
      ...(browser === 'firefox' ? { default_area: 'navbar' } : {}),
    },
    ...(exists(DASHBOARD) ? { options_ui: { page: DASHBOARD, open_in_tab: true } } : {}),
    ...(exists(BACKGROUND) ? { background: { ...background(browser), type: 'module' } } : {}),
    // `activeTab` lets the popup learn which site the person opened it on, before that site is on.
    permissions: ['activeTab', 'storage', 'unlimitedStorage', 'scripting'],
    host_permissions: ['http://127.0.0.1/*', ...(options.allHosts ? EVERY_SITE : [])],
    ...(options.allHosts ? {} : { optional_host_permissions: EVERY_SITE }),
    // Match patterns ignore ports; both forms name the one path, so nothing else on this machine is touched.
    content_scripts: [
      {
        matches: ['http://127.0.0.1/pair', 'http://127.0.0.1/pair?*'],
        js: ['src/content/pair.iife.ts'],
        run_at: 'document_start',
      },
    ],
    commands: {
      _execute_action: { suggested_key: { default: 'Alt+Shift+K' } },
      pause: { suggested_key: { default: 'Alt+Shift+P' }, description: '__MSG_commandPause__' },
      dashboard: { description: '__MSG_commandDashboard__' },
    },
    content_security_policy: { extension_pages: POLICY },
    incognito: 'not_allowed',
    ...(browser === 'chrome' ? chromeOnly() : firefoxOnly()),
  };
}

/** Firefox has event pages where Chrome has a service worker. */
function background(browser: BrowserName): Record<string, unknown> {
  return browser === 'chrome' ? { service_worker: BACKGROUND } : { scripts: [BACKGROUND] };
}

function chromeOnly(): Record<string, unknown> {
  return {
    key: PUBLIC_KEY,
    minimum_chrome_version: '120',
    // Ports clone bytes from Chrome 148 on; older versions ignore the key and get base64 (src/platform.ts).
    message_serialization: 'structured_clone',
    externally_connectable: { ids: [], matches: [] },
  };
}

function firefoxOnly(): Record<string, unknown> {
  return {
    browser_specific_settings: {
      gecko: {
        id: 'throughline@throughline.local',
        strict_min_version: '140.0',
        // Handing data to the companion counts as transmission, although it never leaves the machine that way.
        data_collection_permissions: { required: ['websiteContent', 'personalCommunications', 'authenticationInfo'] },
      },
      gecko_android: { strict_min_version: '142.0' },
    },
  };
}
