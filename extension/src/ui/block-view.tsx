/** One block opened: its summary beside every original, with the proof that the bytes are the ones that were folded. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BlockDetail, MessageLine } from '../panel-messages.ts';
import { sentence, t } from '../strings/strings.ts';
import { ask } from './ask.ts';
import { rangeOf, shown } from './blocks.ts';
import { compact } from './format.ts';
import { Icon } from './icon.tsx';
import { Scroll } from './scroll.tsx';

interface BlockViewProps {
  session: string;
  block: string;
  messages: readonly MessageLine[];
  /** Changes when the block may have changed, so that it is read again. */
  version: unknown;
}

export function BlockView({ session, block, messages, version }: BlockViewProps) {
  const detail = useSignal<BlockDetail | null>(null);
  const failure = useSignal<string | null>(null);
  const raw = useSignal(false);
  useEffect(() => {
    let current = true;
    void ask({ verb: 'block', session, block }).then((reply) => {
      if (!current) return;
      if (reply.ok) detail.value = reply.data;
      failure.value = reply.ok ? null : sentence('error', reply.code, { message: reply.message });
    });
    return () => {
      current = false;
    };
  }, [session, block, version]);
  if (failure.value !== null) return <p role="alert">{failure.value}</p>;
  const found = detail.value;
  if (found === null || found.block.blockId !== block) return <p class="muted">{t('block.loading')}</p>;
  return (
    <div class="block-view">
      <p class="row wrap">
        <span class="number">{t('block.range', { range: rangeOf(found.block, messages) })}</span>
        <span class="number">
          {t('block.saves', { before: compact(found.block.tokensBefore), after: compact(found.block.tokensAfter) })}
        </span>
        <span class="muted">{t('block.tier', { n: found.block.tier })}</span>
        {found.block.author === 'extract' ? <span class="muted">{t('block.extract')}</span> : null}
        <Proof verified={found.verified} />
      </p>
      <div class="beside">
        <section>
          <h2>{t('block.summary')}</h2>
          <p class="muted">{t('block.summary.hint')}</p>
          <Scroll label={t('block.summary')} paper>
            <p class="label">{found.label}</p>
            <p class="prose">{found.summary}</p>
          </Scroll>
        </section>
        <section>
          <div class="row spread">
            <h2>{t('block.originals', { n: found.originals.length })}</h2>
            <button type="button" class="small" aria-pressed={raw.value} onClick={() => (raw.value = !raw.value)}>
              {raw.value ? t('block.text') : t('block.raw')}
            </button>
          </div>
          <p class="muted">{t('block.originals.hint')}</p>
          <Scroll label={t('block.originals', { n: found.originals.length })}>
            {found.originals.map((original) => (
              <article key={original.seq} class="original">
                <p class="label">
                  <span class="number">#{shown(original.seq)}</span> {sentence('role', original.role)}
                </p>
                {raw.value ? <pre>{original.raw}</pre> : <p class="prose">{original.text}</p>}
              </article>
            ))}
          </Scroll>
        </section>
      </div>
    </div>
  );
}

function Proof({ verified }: { verified: boolean }) {
  return (
    <span class={`proof ${verified ? 'good' : 'bad'}`} title={t(verified ? 'block.equal.long' : 'block.unequal.long')}>
      {t(verified ? 'block.equal' : 'block.unequal')} <Icon name={verified ? 'check' : 'alert'} size={14} />
    </span>
  );
}
