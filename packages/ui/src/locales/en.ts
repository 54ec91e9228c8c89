/** Every text of the app, in English. The other languages have exactly these keys (`Texts`): a missing one doesn't compile. */
import type { AgentState, ErrorKind } from '@nuum/protocol'

const count = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`

export const en = {
  languageName: 'English',
  skipToMain: 'Skip to the conversation',
  loading: 'Loading …',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved',
  back: 'Back',
  copy: 'Copy',
  copied: 'Copied',
  remove: 'Remove',
  details: 'Details',
  showMore: 'Show more',
  nothingYet: 'Nothing yet.',

  guideBadge: 'built-in guide · not AI',
  guideModel: 'Built-in guide (not AI)',
  startSkipped: 'The conversation that was open last time was not opened by itself, because the app ended while opening it. Pick one on the left.',

  sidebar: {
    label: 'Agents and Inbox', find: 'Find an agent', noneFound: 'No agent of that name.', inbox: 'Inbox', agents: 'Agents', archived: 'Archived', newAgent: 'New agent',
    settings: 'Settings', shortcuts: 'Keyboard', open: 'Show sidebar', close: 'Hide sidebar', waiting: (n: number) => count(n, 'thing waits for you', 'things wait for you'),
    unread: 'unread', none: 'No agents yet. Make the first one with the button below.',
  },
  states: {
    asleep: 'asleep', queued: 'queued', working: 'working', waiting: 'waits for you', limited: 'limited', broken: 'broken',
  } satisfies Record<AgentState, string>,

  chat: {
    transcript: (name: string) => `Conversation with ${name}`,
    empty: (name: string) => `Say something to ${name}`,
    emptyHint: 'It remembers this conversation, works in its own folder, and can read files, write them and run commands there.',
    emptyGuideHint: 'It runs on the built-in guide: not AI, a fixed set of answers that shows how Nuum works. Ask what it can do, or connect a model in Settings.',
    tryThese: ['What can you do?', 'List the files in your folder', 'How do I connect a model?'],
    failedToOpen: 'This conversation could not be opened.',
    loadingOlder: 'Loading earlier messages …',
    beginning: 'This is the beginning.',
    problems: (n: number) => `${count(n, 'line', 'lines')} of this log can’t be read. Nothing was removed; “nuum doctor” shows where.`,
    jump: 'Jump to the newest', jumpUnseen: (n: number) => `${count(n, 'new entry', 'new entries')}`,
    you: 'You', work: 'Work', schedule: 'Schedule', wrote: (name: string) => `${name} wrote`,
    started: (name: string) => `${name} is answering.`, ended: (name: string) => `${name} has answered.`,
    working: 'Working', doing: (what: string) => what, stop: 'Stop', stopping: 'Stopping …', stopHint: 'Stop (press Esc twice)',
    retryIn: (seconds: number) => `Next try in ${seconds} s`, retrying: 'Trying again now', retryAttempt: (n: number) => `try ${n}`, tryNow: 'Try now',
    queue: 'Waiting its turn', queued: (n: number) => `${count(n, 'message waits', 'messages wait')}`, unqueue: 'Remove from the queue', held: 'Held', sending: 'Sending …',
    reasoning: 'Reasoning', reasoningLive: 'Reasoning …', pasted: 'pasted',
    agentSettings: 'Agent settings', readSeq: 'Read',
    noAgent: 'This agent is not here any more.', noAgentHint: 'It may have been deleted. Deleted agents stay in the trash for 30 days.',
    resume: 'Resume', tryAgain: 'Try again',
    archivedHint: 'This agent is archived. Bring it back in its settings to talk to it.',
    attachments: (n: number) => count(n, 'attachment', 'attachments'),
    image: (alt: string) => (alt === '' ? 'Picture not loaded' : `Picture not loaded: ${alt}`),
    openImage: 'Open it in a new tab', code: 'code', longText: (kb: number) => `Long text, ${kb.toLocaleString('en')} kB`, table: 'Table',
  },
  cut: {
    length: 'The answer was cut at the model’s output limit.', context_full: 'The answer was cut: the conversation fills the model’s window.', refused: 'The model declined to go on.',
    content_filter: 'The provider’s content filter ended the answer.', incomplete: 'The answer ended before it was complete.', stopped: 'Stopped here.',
  } as Record<string, string>,
  tool: {
    running: 'running', ok: 'done', failed: 'failed', lost: 'no result', waiting: 'waits for you', writing: 'being written',
    input: 'Input', output: 'Output', changes: 'Changes', liveOutput: 'Output so far', noOutput: 'It printed nothing.', whole: 'Show the whole output',
    cutAt: 'Only the first 2 MB are shown.', exit: (code: number) => `exit ${code}`, lostHint: 'The run ended before this call gave a result. Whether it took effect is not known.',
    toggle: (name: string, what: string, state: string) => `${name} ${what}, ${state}`,
  },
  diff: { added: 'added', removed: 'removed' },
  approval: {
    asks: 'asks for permission', question: 'asks you', input: 'A command waits for input', allow: 'Allow once', deny: 'Deny', denyWith: 'Deny with a word', word: 'Why not, or what instead',
    answer: 'Answer', send: 'Send', allowed: 'You allowed this once.', denied: 'You denied this.', deniedWith: (word: string) => `You denied this: ${word}`, answered: (text: string) => `You answered: ${text}`,
    expired: 'No longer needed.', hidden: 'Characters that can’t be seen are shown as their code.', command: 'Command', path: 'Path', access: 'Access', other: 'Exactly this',
  },
  end: {
    stopped: 'You stopped this.', failed: 'This run failed', limit: 'A limit was reached', interrupted: 'This run was interrupted.',
    interruptedHint: 'Nuum or its kernel ended in the middle of it. Nothing that was saved is lost.', raw: 'What exactly was reported',
  },
  notes: {
    created: 'Created', fresh: 'A new beginning: what is above is kept, but not shown to the model.', compacted: 'Earlier conversation was summarised for the model. All of it stays here.',
    branched: 'The conversation goes on from an earlier place.', recovered: 'The log was repaired after a crash.', redacted: 'Words were erased from the log.', clock: 'The computer’s clock was set back.',
    repaired: (reason: string) => `An entry is left out of what the model is shown: ${reason}`,
    unknown: (name: string) => `An entry that this version doesn’t know (${name})`, unreadable: (name: string) => `An entry that can’t be read (${name})`,
    renamed: (name: string) => `Renamed to ${name}`, model: (model: string) => `Model is now ${model}`, persona: 'Persona changed', folders: 'Folders changed', archived: 'Archived', unarchived: 'Brought back', settings: 'Settings changed',
  },
  composer: {
    label: (name: string) => `Message to ${name}`, placeholder: (name: string) => `Message ${name}`, send: 'Send', add: 'Add to queue', hint: 'Enter sends · Shift+Enter breaks the line',
    chip: (lines: number, kb: number) => `Pasted text · ${lines.toLocaleString('en')} lines · ${kb.toLocaleString('en')} kB`, turnBack: 'Put it into the text', dropChip: 'Remove the pasted text',
    draftTooLong: 'Text this long is kept as a draft only while this window is open.', offline: 'Not connected: you can write, sending waits until the connection is back.',
    notSent: 'Not sent. Your text is still here.',
  },
  status: {
    label: 'Status', context: (percent: number) => `context ${percent} %`, contextHint: (used: string, window: string) => `${used} of ${window} tokens in the last request`,
    cache: (percent: number) => `cache ${percent} %`, cacheHint: 'Share of prompt tokens read from the provider’s cache', cost: (usd: string) => `US$ ${usd}`, costUnknown: 'price unknown', free: 'no cost',
    calls: (n: number) => count(n, 'model call', 'model calls'), tokens: (n: string) => `${n} tokens`,
  },
  inbox: {
    title: 'Inbox', empty: 'Nothing needs you.', emptyHint: 'Questions of agents, things to allow and messages that are held appear here.', noModel: 'Connect a model',
    kinds: { approval: 'Permission', question: 'Question', input: 'Input', held: 'Held', failed: 'Failed' }, retry: 'Try again', drop: 'Drop', dismiss: 'Dismiss', open: (name: string) => `Open ${name}`,
    keys: 'With a card in focus: A allows, D denies, J and K move.', working: (n: number) => `${count(n, 'agent is', 'agents are')} working.`, item: (kind: string, name: string) => `${kind}: ${name}`,
  },
  agent: {
    newTitle: 'New agent', settingsTitle: (name: string) => `Settings of ${name}`, name: 'Name', nameHint: 'What you call it. You can rename it at any time.', model: 'Model', otherModel: 'Another model …',
    otherModelLabel: 'Model id', otherModelHint: 'provider/model, for example anthropic/claude-sonnet-5-5', notReady: 'not ready', persona: 'Persona', personaHint: 'How it should work and speak. Goes into its instructions.',
    template: 'Start from', folder: 'Folder it may work in', folderHint: 'A full path on this computer. Left empty, it works in its own folder only.', create: 'Create agent',
    folders: 'Folders', ownFolder: 'Its own folder', grant: 'Grant a folder', grantPath: 'Full path', access: 'Access', ro: 'read only', rw: 'read and write', mine: 'Its contents are mine',
    mineHint: 'Then what is written there counts as your own word.', revoke: 'Revoke', revokeFolder: (path: string) => `Revoke ${path}`, noFolders: 'None besides its own.',
    archive: 'Archive', archiveHint: 'Takes it out of the list. Nothing is deleted.', unarchive: 'Bring back', delete: 'Delete', deleteHint: 'Moves it to the trash, where it stays for 30 days.',
    deleteSure: (name: string) => `Delete ${name}?`, danger: 'Put away', contextWindow: (tokens: string) => `window ${tokens}`, basics: 'Name and model',
    trash: 'Trash', restore: 'Restore', deletedOn: (date: string) => `deleted ${date}`,
  },
  templates: {
    blank: { name: 'Blank', agent: '', persona: '' },
    researcher: { name: 'Researcher', agent: 'Ada', persona: 'You research questions thoroughly, keep notes in files, name your sources and say what you are not sure of.' },
    coder: { name: 'Coder', agent: 'Linus', persona: 'You work on code. Read before you change, make small changes, run the tests, and say plainly what you did and what is left.' },
    writer: { name: 'Writer', agent: 'Jane', persona: 'You help with writing. You keep the person’s voice, cut what is not needed, and explain a change only when asked.' },
    house: { name: 'House', agent: 'Hudson', persona: 'You help run a household: lists, appointments, instructions, things to remember. Short and practical.' },
  },
  settings: {
    title: 'Settings', providers: 'Models and providers', providersHint: 'A key stays on this computer, encrypted. It is never shown again.', appearance: 'Appearance', language: 'Language', languageAuto: 'As in the browser',
    theme: 'Theme', themes: { system: 'As the system', light: 'Light', dark: 'Dark' }, sandbox: 'Sandbox', sandboxOn: 'Commands run in a sandbox', sandboxOff: 'There is no sandbox here: every command is asked for', mend: 'How to mend it',
    data: 'Data', home: 'Folder', version: 'Version', readOnly: 'Opened read-only',
  },
  provider: {
    ready: 'ready', notReady: 'not connected', keySources: { stored: 'key stored', env: 'key from the environment', none: 'no key', not_needed: 'no key needed', missing: 'key missing' },
    keyEnv: (name: string) => `key from ${name}`, key: 'API key', setKey: 'Save key', removeKey: 'Remove key', baseUrl: 'Base URL', test: 'Test', testing: 'Testing …', testOk: 'Works', testBad: 'Does not work', called: (url: string) => `Called ${url}`,
    add: 'Add a server', addHint: 'Any OpenAI-compatible server, or another address of a known provider.', name: 'Short name', nameHint: 'Letters, digits, dots and dashes. Model ids begin with it.', wire: 'Speaks',
    wires: { chat: 'OpenAI Chat Completions', messages: 'Anthropic Messages', responses: 'OpenAI Responses', ollama: 'Ollama', guide: 'Built-in guide' }, noKey: 'It needs no key', edit: 'Edit', removeProvider: 'Remove',
    guideHint: 'Always there. Not AI: fixed answers that show how Nuum works.', models: (n: number) => count(n, 'model', 'models'), connect: 'Connect',
  },
  firstRun: {
    label: 'First steps', step: (n: number) => `Step ${n} of 3`, skip: 'Skip', next: 'Next', title1: 'Who should think?', lead1: 'Agents need a model. You can begin with the built-in guide and connect a model later.',
    guide: 'Meet the built-in guide', guideText: 'Not AI: fixed answers, no key, no cost. It really reads and writes files and runs commands, so you see how Nuum works.', key: 'Use a model with a key',
    keyText: 'OpenAI, Anthropic, DeepSeek or any compatible server.', local: (name: string) => `Use ${name}`, localText: 'Found on this computer and ready.', provider: 'Provider', testAndUse: 'Test and go on', untested: 'Go on without a test',
    title2: 'Name your first agent', lead2: 'An agent stays. It keeps its conversation, its folder and what it learned.', title3: (name: string) => `Say something to ${name}`, lead3: 'Anything. You can change everything later.',
    home: (path: string) => `Everything is kept in ${path}`, finish: 'Send', suggestions: ['What can you do?', 'Look at your folder and tell me what is there', 'Write a file hello.md with a greeting'],
  },
  banner: {
    offline: 'The connection to Nuum is lost. What you see is the last known state.', retryNow: 'Try now', signedOut: 'This browser is not signed in. Run “nuum” in a terminal: it opens the app with a fresh address.',
    storage: 'Nothing can be saved just now.', readOnly: 'This data folder is opened read-only.',
  },
  errors: {
    'provider.auth': 'The provider did not accept the key', 'provider.billing': 'The provider’s account has no credit', 'provider.rate_limited': 'The provider asks to slow down',
    'provider.overloaded': 'The provider is overloaded', 'provider.server': 'The provider had an error', 'provider.network': 'The provider could not be reached',
    'provider.context_too_long': 'The conversation is longer than the model can read', 'provider.request_too_large': 'The request is larger than the provider takes', 'provider.bad_request': 'The provider did not understand the request',
    'provider.model_not_found': 'The provider does not have this model', 'provider.refused': 'The model declined', 'provider.content_filter': 'The provider’s content filter stepped in', 'provider.aborted': 'The call was stopped',
    'provider.protocol': 'The server answered with something that is not its protocol', no_model: 'No model is connected', kernel_crashed: 'The part that talks to models crashed', interrupted: 'It was interrupted', limit: 'A limit was reached',
    timeout: 'It took too long', unavailable: 'Nuum can’t be reached', storage_full: 'The disk is full', storage_readonly: 'The data folder can’t be written', storage_corrupt: 'A file can’t be read', denied: 'This is not allowed',
    conflict: 'This clashes with something that is already there', not_found: 'It is not there', invalid: 'Something is not filled in right', locked: 'Another Nuum holds the data folder', foreign_home: 'That folder belongs to another program',
    newer_format: 'The data was written by a newer version', unsupported: 'This version can’t do that', internal: 'Something went wrong inside Nuum',
  } as Partial<Record<ErrorKind, string>>,
  errorFallback: 'That did not work',
  shortcuts: {
    title: 'Keyboard', find: 'Find an agent', next: 'Next or previous agent', region: 'Next region', send: 'Send', breakLine: 'New line', stop: 'Stop the run', shortcuts: 'This list', inbox: 'Inbox', allowDeny: 'In the Inbox: allow, deny', moveCards: 'In the Inbox: next, previous', escTwice: 'Esc Esc',
  },
  time: {
    seconds: (s: number) => (s < 10 ? `${s.toFixed(1)} s` : `${Math.round(s)} s`), minutes: (m: number, s: number) => `${m} min ${s} s`, ms: (ms: number) => `${ms} ms`, today: 'Today', yesterday: 'Yesterday',
    elapsed: (m: number, s: number) => `${m}:${String(s).padStart(2, '0')}`,
  },
}

/** Functions keep their parameters; every literal widens to `string`. */
type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : T extends readonly string[]
      ? readonly string[]
      : { readonly [K in keyof T]: Widen<T[K]> }
export type Texts = Widen<typeof en>
