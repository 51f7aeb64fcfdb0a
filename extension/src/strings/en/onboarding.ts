/** English: the page shown after installing. */
export const onboarding = {
  'onboarding.title': 'Set up Throughline',
  'onboarding.lead':
    'Throughline folds the old part of long web chats into summaries before they are sent, keeps every original on this machine, and shows you what it did. Five steps; each ticks itself off.',
  'onboarding.progress': '{n} of {total} done',
  'onboarding.done': 'done',
  'onboarding.now': 'now',
  'onboarding.later': 'next',
  'onboarding.run.title': 'Start the companion',
  'onboarding.run.text': 'In the folder of Throughline, run:',
  'onboarding.run.wait': 'Waiting for the companion on this machine…',
  'onboarding.run.done': 'The companion is running on port {port}.',
  'onboarding.pair.title': 'Pair',
  'onboarding.pair.text': 'The companion opens the pairing page by itself. If it does not, paste the link it printed:',
  'onboarding.pair.label': 'Pairing link',
  'onboarding.pair.button': 'Pair',
  'onboarding.pair.done': 'Paired. Only this companion is trusted from now on.',
  'onboarding.site.title': 'Choose a site',
  'onboarding.site.text':
    'Write the address of your chat page. The browser asks for access to that one site, and nothing runs elsewhere.',
  'onboarding.site.label': 'Address of the chat page',
  'onboarding.site.button': 'Switch on',
  'onboarding.site.done': 'On for {sites}.',
  'onboarding.message.title': 'Send a message there',
  'onboarding.message.text': 'Chat as always. The first message appears in the popup of the toolbar button.',
  'onboarding.message.open': 'Open {host}',
  'onboarding.message.done': '{n} {n|conversation|conversations} recognised.',
  'onboarding.saving.title': 'First saving',
  'onboarding.saving.text':
    'Once a chat is long enough, its oldest part is folded after an answer. The next request is smaller.',
  'onboarding.saving.done': '{n} tokens saved so far.',
  'onboarding.finish': 'All set. Everything else is in the dashboard.',
  'onboarding.skip': 'Skip, open the dashboard',
  'onboarding.limits':
    'It cannot help sites that keep the history on their server (they send only your newest message), nor requests made inside workers. Those go out untouched.',
} as const;
