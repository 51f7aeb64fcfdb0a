/** What happened to a conversation, newest first: numbers and codes, no text. */
import type { SessionDetail } from '../../panel-messages.ts';
import { language, sentence, t } from '../../strings/strings.ts';
import { absolute, relative } from '../../ui/format.ts';
import { eventFacts } from '../event-facts.ts';

export function Events({ session }: { session: SessionDetail }) {
  if (session.events.length === 0) return <p class="muted">{t('events.none')}</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('events.when')}</th>
          <th scope="col">{t('events.what')}</th>
          <th scope="col">{t('events.details')}</th>
        </tr>
      </thead>
      <tbody>
        {session.events.toReversed().map((event) => (
          <tr key={`${event.rev} ${event.at} ${event.kind}`}>
            <td class="number muted" title={absolute(event.at, language.value)}>
              {relative(event.at, Date.now(), language.value)}
            </td>
            <td>{sentence('event', event.kind)}</td>
            <td>{eventFacts(event).join(' · ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
