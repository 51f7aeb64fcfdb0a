/** The companion's own version, as the handshake, `/health` and `--version` tell it. */
import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
