/**
 * What a person's message asks of the built-in guide. Pure: a fixed list of patterns, English and Chinese, tried in order.
 * Actions are told by how a sentence begins, so that words inside a text to be written never count as a question.
 */
export type Language = 'en' | 'zh'

export type Action =
  | { readonly kind: 'list'; readonly path: string | null }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'search'; readonly text: string; readonly path: string | null }
export type Talk = {
  readonly kind: 'greet' | 'thanks' | 'bye' | 'help' | 'about' | 'screen' | 'connect' | 'model' | 'again' | 'back' | 'resumed' | 'unknown'
}
export type Intent = Action | Talk

type Rule = { readonly pattern: RegExp; readonly read: (part: (name: string) => string) => Intent | null }

/** The message without the line that the Host puts before it. */
export function plainText(message: string): string {
  return message.replace(/^\[[^\]\n]*\]\n/, '').trim()
}

/** That of the words; where there are none (`?`), the person's own language if it is known. */
export function languageOf(text: string, own?: string): Language {
  if (/[\u3400-\u9fff]/.test(text)) return 'zh'
  return !/\p{L}/u.test(text) && /^zh\b/i.test(own ?? '') ? 'zh' : 'en'
}

export function parseIntent(message: string): Intent {
  if (message.startsWith('[Nuum]')) return { kind: 'resumed' }
  const text = plainText(message)
  const request = withoutPoliteness(text)
  for (const { pattern, read } of ACTIONS) {
    const groups = pattern.exec(request)?.groups
    const intent = groups === undefined ? null : read((name) => (groups[name] ?? '').trim())
    if (intent !== null) return intent
  }
  const talk = TALK.find(({ pattern }) => pattern.test(text) || pattern.test(request))
  return { kind: talk?.kind ?? 'unknown' }
}

function withoutPoliteness(text: string): string {
  return text
    .replace(
      /^(?:(?:please|kindly|hey|ok|okay|now|then|can you|could you|would you|will you|i want you to|i'd like you to|i would like you to|let's|just|guide)[\s,:]+)+/i,
      '',
    )
    .replace(/^(?:请你|请|麻烦你|麻烦|劳驾|帮忙|帮我|帮|能不能|能否|可不可以|你能|你可以|可以|能|给我|我想让你|我要你|现在|然后)+\s*[,，]?\s*/, '')
    .replace(/[\s,]+(?:and|then)\s+(?:then\s+)?(?:tell|show|explain|report|say|give|let)\s+(?:to\s+)?(?:me|us|it)\b.*$/is, '')
    .replace(/[，,]?\s*(?:然后|再|并且?)?(?:告诉我|给我看|说说|讲讲).*$/s, '')
    .replace(/(?:[\s,]+(?:please|for me|thanks|thank you))+\s*[.!?]*$/i, '')
    .replace(/(?:吧|吗|好吗|谢谢|一下)+[。！？?!]*$/, '')
    .trim()
}

const QUOTED = `"[^"]*"|'[^']*'|\`[^\`]*\`|“[^”]*”|‘[^’]*’|「[^」]*」|『[^』]*』|《[^》]*》`
const EN_PATH = `(?<path>${QUOTED}|\\S+)`
/** In Chinese text a bare path ends where the characters do. */
const ZH_PATH = `(?<path>${QUOTED}|[\\w./~@+-][\\w./~@+ -]*?)`
const EN_SAID = `(?<text>${QUOTED}|.+?)`
const ZH_SAID = `(?<text>${QUOTED}|.+?)`

const rule = (pattern: string, read: Rule['read']): Rule => ({ pattern: new RegExp(pattern, 'isu'), read })

const toRun: Rule['read'] = (part) => {
  const command = commandOf(part('command'))
  return command === '' ? null : { kind: 'run', command }
}
const toWrite: Rule['read'] = (part) => {
  const path = pathOf(part('path'))
  return path === '' ? null : { kind: 'write', path, content: unquoted(part('text')) }
}
const toSearch: Rule['read'] = (part) => {
  const text = unquoted(part('text').replace(/[?？。！!]+$/u, ''))
  return text === '' ? null : { kind: 'search', text, path: pathOf(part('path')) || null }
}
const toRead: Rule['read'] = (part) => {
  const path = pathOf(part('path'))
  return path === '' || isPlainWord(part('path')) ? null : { kind: 'read', path }
}
const toReadAny: Rule['read'] = (part) => {
  const path = pathOf(part('path'))
  return path === '' || /^(?:me|it|this|that|them|files?|something|anything)$/i.test(path) ? null : { kind: 'read', path }
}
const toList: Rule['read'] = (part) => (looksLikeFile(part('path')) ? null : { kind: 'list', path: placeOf(part('path')) })
const toLook: Rule['read'] = (part) => {
  const path = pathOf(part('path'))
  if (placeOf(path) === null) return { kind: 'list', path: null }
  return /\.\w{1,8}$/.test(path) ? { kind: 'read', path } : { kind: 'list', path: placeOf(path) }
}

const PLACE = `(?:\\s+(?:in|of|at|from|under|inside)\\s+(?:the\\s+|my\\s+|your\\s+|this\\s+)?(?:folder\\s+|directory\\s+)?${EN_PATH}(?:\\s+(?:folder|directory))?)?`
const A_FILE = '(?:(?:an?|the)\\s+)?(?:new\\s+|text\\s+)*(?:file\\s+)?(?:(?:called|named)\\s+)?'

const ACTIONS: readonly Rule[] = [
  rule('^[$!]\\s*(?<command>\\S.*)$', toRun),
  rule(
    '^(?:(?:in|using)\\s+(?:the|your|a)\\s+(?:shell|terminal)[\\s,]+)?(?:run|execute|exec)(?:\\s+|\\s*:\\s*)(?:(?:the|this|a|following)\\s+)*(?:(?:shell\\s+)?command\\b\\s*:?\\s*)?(?<command>.+?)(?:\\s+in\\s+(?:the|your|a)\\s+(?:shell|terminal))?$',
    toRun,
  ),
  rule(
    '^(?:(?:在|用)?\\s*(?:终端|shell|命令行)\\s*(?:里|中|上)?(?:面)?\\s*)?(?:执行|运行|跑)(?:一下|个)?\\s*(?:这个|下面的)?(?:命令|指令)?\\s*[:：]?\\s*(?<command>.+)$',
    toRun,
  ),
  rule(`^(?:write|save|put|store)\\s+(?:the\\s+)?(?:(?:text|words?|line)\\s+)?${EN_SAID}\\s+(?:to|in|into|as)\\s+${A_FILE}${EN_PATH}$`, toWrite),
  rule(
    `^(?:create|make|write|add)\\s+${A_FILE}${EN_PATH}\\s+(?:with|containing|saying|that\\s+(?:says|contains))\\s+(?:the\\s+)?(?:(?:text|contents?|words?|line)\\b\\s*:?\\s*)?(?<text>.+)$`,
    toWrite,
  ),
  rule(`^write\\s+(?:to\\s+|into\\s+)?${A_FILE}(?<path>${QUOTED}|[^\\s:]+)\\s*:\\s*(?<text>.+)$`, toWrite),
  rule(`^(?:create|make)\\s+(?:(?:an?|the)\\s+)?(?:new\\s+|empty\\s+)*file\\s+(?:(?:called|named)\\s+)?${EN_PATH}$`, toWrite),
  rule(
    `^(?:把|将)\\s*${ZH_SAID}\\s*(?:写入|写到|写进|保存到|存到|存进|保存为|存为|保存在)\\s*(?:文件)?\\s*${ZH_PATH}\\s*(?:文件)?(?:里|中)?(?:面)?[。！!]*$`,
    toWrite,
  ),
  rule(`^(?:写入|写|保存)\\s*(?<text>${QUOTED})\\s*(?:到|进|至|入)\\s*(?:文件)?\\s*${ZH_PATH}\\s*(?:文件)?(?:里|中)?(?:面)?[。！!]*$`, toWrite),
  rule(`^(?:在|往|向)\\s*(?:文件)?\\s*${ZH_PATH}\\s*(?:文件)?(?:里|中)?(?:面)?\\s*(?:写入|写上|写下|写|保存)\\s*[:：]?\\s*(?<text>.+)$`, toWrite),
  rule(
    `^(?:新建|创建|建立|建|写)\\s*(?:一个|个)?\\s*(?:新)?(?:的)?(?:文件)?\\s*(?:名为|名叫|叫做|叫)?\\s*${ZH_PATH}\\s*(?:的)?(?:文件)?\\s*[,，。:：]?\\s*(?:并|然后|再)?(?:在)?(?:里面|其中)?(?:内容(?:是|为)?|里面写(?:上)?|写(?:上|入))\\s*[:：]?\\s*(?<text>.+)$`,
    toWrite,
  ),
  rule(`^(?:新建|创建|建立|建)\\s*(?:一个|个)?\\s*(?:新|空)?(?:的)?文件\\s*${ZH_PATH}[。！!]*$`, toWrite),
  rule(
    `^(?:search|grep|look)\\s+(?:(?:in\\s+)?(?:the\\s+|my\\s+|all\\s+)?files?\\s+)?(?:for\\s+)?(?:the\\s+)?(?:(?:word|text|string|phrase)\\s+)?${EN_SAID}(?:\\s+(?:in|under|inside)\\s+(?:the\\s+|my\\s+|all\\s+)?(?:files?\\s+)?(?:folder\\s+|directory\\s+)?${EN_PATH})?$`,
    (part) => (/^(?:the\s+)?(?:web|internet|online)\b|^at\b/i.test(part('text')) ? null : toSearch(part)),
  ),
  rule(
    `^find\\s+(?:(?:all\\s+)?files\\s+(?:containing|that\\s+contain|with)\\s+)?(?:the\\s+)?(?:(?:word|text|string|phrase)\\s+)?${EN_SAID}(?:\\s+(?:in|under|inside)\\s+(?:the\\s+|my\\s+|all\\s+)?(?:files?\\s+)?(?:folder\\s+|directory\\s+)?${EN_PATH})?$`,
    toSearch,
  ),
  rule(`^where\\s+is\\s+(?<text>${QUOTED})(?:\\s+(?:mentioned|used|defined))?\\s*\\?*$`, toSearch),
  rule(
    `^(?:在\\s*(?:(?:所有|全部)?(?:的)?文件|${ZH_PATH}\\s*(?:目录|文件夹)?)(?:里|中|下)?(?:面)?\\s*)?(?:搜索|查找|检索|搜一下|搜|找一下|找)(?:一下)?\\s*(?:文件(?:里|中|内容)?(?:的)?)?\\s*[:：]?\\s*${ZH_SAID}[。！!]*$`,
    toSearch,
  ),
  rule(
    `^(?:list|show)\\s+(?:me\\s+)?(?:all\\s+)?(?:(?:the|my|your|its)\\s+)?(?:files(?:\\s+and\\s+folders)?|folders|folder|directory|workspace|contents)${PLACE}(?:\\s+here)?\\s*[.!?]*$`,
    toList,
  ),
  rule(
    `^(?:what|which)\\s+files\\s+(?:are\\s+there|are\\s+here|do\\s+(?:you|i|we)\\s+have|exist|are|(?:can|do)\\s+you\\s+see)?${PLACE}\\s*[.!?]*$`,
    toList,
  ),
  rule("^(?:ls|dir|list|(?:list|show)\\s+(?:me\\s+)?everything|what(?:'s|’s|\\s+is)\\s+(?:in\\s+)?(?:here|there))(?<path>)\\s*[.!?]*$", toList),
  rule(`^list\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+)?${EN_PATH}(?:\\s+(?:folder|directory))?$`, toList),
  rule(
    `^(?:(?:show|tell)\\s+me\\s+)?what(?:'s|’s|\\s+is)\\s+in(?:side)?\\s+(?:(?:the|my|your|this)\\s+)?(?:(?:file|folder|directory)\\s+)?${EN_PATH}(?:\\s+(?:file|folder|directory))?$`,
    toLook,
  ),
  rule(
    `^(?:使用工具|用工具)?(?:列出|列一下|列|显示|查看|看看|看一下)\\s*(?:所有|全部|当前)?\\s*(?:的)?${ZH_PATH}?\\s*(?:这个)?(?:目录|文件夹|工作区)?(?:里|下|中)?(?:面)?(?:的)?\\s*(?:所有|全部)?(?:文件和文件夹|文件列表|文件|目录|文件夹|内容)[。！!]*$`,
    toList,
  ),
  rule(
    `^(?:看看|看一下|查看|显示)?\\s*(?:现在|当前|这个|这|你的|我的)?\\s*${ZH_PATH}?\\s*(?:目录|文件夹|工作区)?(?:里|下|中|这里)?(?:面|边)?\\s*(?:都)?有(?:哪些|什么|些什么|啥|多少)(?:文件|东西|内容)?[。？?！!]*$`,
    toList,
  ),
  rule(
    `^(?:read|open|cat)\\s+(?:me\\s+)?(?:the\\s+)?(?:(?:contents?|text)\\s+of\\s+)?(?:the\\s+)?(?:file\\s+)?(?:(?:called|named)\\s+)?${EN_PATH}(?:\\s+file)?$`,
    toReadAny,
  ),
  rule(`^(?:show|print|display|view)\\s+(?:me\\s+)?(?:the\\s+)?(?:(?:contents?|text)\\s+of\\s+)?(?:the\\s+)?(?:file\\s+)?${EN_PATH}$`, toRead),
  rule(`^what\\s+does\\s+(?:the\\s+)?(?:file\\s+)?${EN_PATH}\\s+(?:say|contain)\\s*\\?*$`, toReadAny),
  rule(
    `^(?:读取|读一下|读|打开|查看|看看|看一下|看|显示)\\s*(?:文件)?\\s*${ZH_PATH}\\s*(?:这个)?(?:文件)?(?:里|中)?(?:面)?(?:的)?(?:内容)?[。！!]*$`,
    toReadAny,
  ),
  rule(`^(?:文件)?\\s*${ZH_PATH}\\s*(?:文件)?(?:里|中)?(?:面)?\\s*(?:是|有|写了|写的是)(?:什么|些什么|啥)(?:内容)?[。？?]*$`, toRead),
  rule('^(?<command>(?:pwd|whoami|date|uname)|(?:ls|git|npm|npx|node|python3?|echo|mkdir|touch|cd|wc|du|df|ps|grep|uname)\\s+\\S.*)$', toRun),
]

const TALK: readonly { readonly kind: Talk['kind']; readonly pattern: RegExp }[] = [
  {
    kind: 'screen',
    pattern:
      /\b(?:explain|describe|tell me about)\b.*\b(?:screen|window|app|interface|ui|page|program)\b|what (?:am i (?:looking at|seeing)|do i see|is (?:this|on (?:the|this|my)) (?:screen|window|app|page))|how does (?:this|the) (?:screen|window|app|page|ui) work/i,
  },
  {
    kind: 'screen',
    pattern:
      /(?:解释|介绍|说明|讲解|讲讲|说说).*(?:界面|屏幕|页面|窗口|画面|软件|应用)|(?:界面|屏幕|页面|窗口|画面)(?:上|里|中)?.*(?:什么|怎么|哪些|意思)|我(?:看到|在看)的?.*(?:什么|啥)/,
  },
  {
    kind: 'model',
    pattern:
      /^(?:switch|change|swap|choose|pick|select|use)\s+(?:to\s+)?(?:(?:the|your|my|a|an|another|other|different|new|better|this agent's)\s+)*models?\W*$|\bhow (?:do|can|could) (?:i|we) (?:switch|change|choose|pick|select) (?:(?:the|your|my|a|an|another|different|this agent's)\s+)*models?\b|\b(?:switch|change) (?:(?:the|your|my)\s+)?models?\b/i,
  },
  { kind: 'model', pattern: /(?:切换|更换|换|改|改用|换用|换成|选择|选)(?:一?个|另一个|别的|其他|其它|不同的|新的?|当前)*(?:的)?(?:大)?模型/ },
  {
    kind: 'again',
    pattern:
      /^(?:(?:please\s+)?(?:try|do|answer|say|run|ask)\s+(?:it|that|this)?\s*(?:again|anew|once more|another time)|again|once more|retry|redo|regenerate|repeat(?: that)?|another (?:answer|try)|answer again)\W*$|\bhow (?:do|can|could) (?:i|you|we) (?:try again|retry|regenerate|repeat)\b/i,
  },
  {
    kind: 'again',
    pattern:
      /^(?:再(?:试|来|答|回答|说|做)(?:一次|一遍|一下)|重试|重来|重新(?:回答|生成|来|试)(?:一次|一遍|一下)?|换个回答)[。！!？?]*$|(?:怎么|如何|怎样)(?:才能)?(?:重试|重新回答|重新生成|再试)/,
  },
  {
    kind: 'back',
    pattern:
      /^(?:go|get|take me|step)\s+back\b(?!\s+to\s+\S*[/.])|^(?:undo|revert|rewind|roll ?back|start over|begin anew|start afresh|forget (?:that|this|it|everything))\b|\bhow (?:do|can|could) (?:i|we) (?:go back|undo|edit (?:my|a|the) message|start over|rewind|branch)\b|^(?:edit|change|correct) my (?:last )?(?:message|question)\b|^\/?fresh\W*$/i,
  },
  {
    kind: 'back',
    pattern:
      /^(?:返回|回到|退回|回退|撤销|撤回|倒回|重新开始|从头开始|从头再来)|(?:怎么|如何|怎样)(?:才能)?(?:返回|回到|回退|撤销|撤回|修改(?:我的)?消息|编辑(?:我的)?消息|重新开始)|^(?:修改|编辑)(?:我的|上一条)?消息/,
  },
  {
    kind: 'connect',
    pattern:
      /\b(?:connect|add|use|set ?up|configure|choose|switch|change|pick|enter|paste|put|store|get)\b.*\b(?:model|models|provider|providers|key|keys|api|openai|anthropic|claude|gpt|deepseek|ollama|lm ?studio|llama|llm|ai)\b|\b(?:where|how)\b.*\b(?:key|keys|model|models|provider)\b|\b(?:have|got) (?:an?|my) (?:api )?key\b|\b(?:which|what) (?:providers?|models)\b|^(?:api ?key|openai|anthropic|claude|gpt|deepseek|ollama|lm ?studio|models?|providers?)\W*$/i,
  },
  {
    kind: 'connect',
    pattern:
      /(?:连接|连|接入|接|配置|设置|添加|使用|用|换|切换|选择|填|放|输入).*(?:模型|密钥|秘钥|供应商|提供商|API|key|OpenAI|Anthropic|Claude|GPT|DeepSeek|Ollama)|(?:密钥|秘钥|key|模型).*(?:哪|怎么|如何|怎样)|^(?:模型|密钥)[？?]*$/i,
  },
  {
    kind: 'about',
    pattern:
      /\b(?:who|what) (?:are|r) (?:you|u)\b|\bare you\b.*\b(?:ai|a\.i\.|bot|robot|human|person|real|llm|model|chatgpt|gpt|claude)\b|\byour name\b|\bwhat is (?:the |this )?(?:built-?in )?guide\b|\b(?:which|what) model\b(?! (?:can|should|do) )|^what is (?:nuum|this)\W*$/i,
  },
  {
    kind: 'about',
    pattern:
      /你是(?:谁|什么|哪个)|你是不是|你(?:是|不是)(?:一个)?(?:AI|人工智能|机器人|真人|人|模型|大模型)|你叫什么|(?:什么是|什么叫)?内置向导(?:是什么)?|Nuum\s*是(?:什么|啥)|什么是\s*Nuum|是(?:AI|人工智能)吗/i,
  },
  {
    kind: 'help',
    pattern:
      /^(?:help|help me|\?|h|\/help|commands?|start|menu|options|examples?|test|try)\W*$|\bwhat (?:can|could|do|will) (?:you|i|one|we) (?:do|say|ask|type|try|understand|know|write)\b|\bwhat (?:are you able|else)\b|\bhow (?:can|do) (?:you help|i (?:start|begin|use))\b|\bhow (?:does|do) (?:this|it|you) work\b|\bget(?:ting)? started\b|\bwhat (?:now|next)\b|\bshow me what you\b|\byour (?:skills|abilities|commands|features)\b/i,
  },
  {
    kind: 'help',
    pattern:
      /(?:能|会|可以|可)(?:做|干|帮)(?:我|些|点)?.*(?:什么|啥|哪些)|(?:会|能|懂)(?:什么|哪些|啥)|^(?:帮助|帮忙|功能|命令|开始|菜单|示例|例子|求助)[。！!？?]*$|(?:什么|哪些)功能|怎么(?:用|使用|开始|玩)|如何(?:使用|开始)|使用方法|接下来(?:做|干)什么/,
  },
  {
    kind: 'thanks',
    pattern:
      /^(?:many )?(?:thanks?|thank you|thx|ty|cheers|great|nice|cool|perfect|well done|good job)\b|谢谢|多谢|感谢|辛苦了|太好了|^(?:很好|好的|不错|棒)|^(?:ok|okay|yes|good|fine|好|行|可以)[.!。！]*$/i,
  },
  { kind: 'bye', pattern: /^(?:bye|goodbye|good night|see you|see ya|later)\b|^(?:再见|拜拜|回头见|晚安|下次见)/i },
  {
    kind: 'greet',
    pattern:
      /^(?:hi|hello|hey|hiya|yo|greetings|howdy|good (?:morning|afternoon|evening|day))\b|^(?:你好|您好|大家好|嗨|哈喽|哈啰|喂|早上好|早安|早|上午好|下午好|晚上好|在吗|在不在)/i,
  },
]

function unquoted(text: string): string {
  const fenced = /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(text)?.[1]
  if (fenced !== undefined) return fenced
  const whole = new RegExp(`^(?:${QUOTED})$`, 'su').test(text)
  return whole ? text.slice(1, -1) : text
}

/** A whole command in quotes or backticks is meant without them; a full stop after it is the sentence's. */
function commandOf(text: string): string {
  const bare = text
    .replace(/[。！？]+$/u, '')
    .replace(/(`|”|」|")\s*[.!?]$/, '$1')
    .trim()
  const first = bare.charAt(0)
  const inner = bare.slice(1, -1)
  if (bare.startsWith('```')) return unquoted(bare).trim()
  return '`“「'.includes(first) || ('"\''.includes(first) && !inner.includes(first)) ? unquoted(bare).trim() : bare
}

function pathOf(text: string): string {
  const trimmed = text.replace(/[?？!！,，。]+$/u, '').replace(/(.)\.+$/u, (all, before: string) => (before === '.' || before === '/' ? all : before))
  return unquoted(trimmed.trim()).trim()
}

function placeOf(text: string): string | null {
  const path = pathOf(text)
  return path === '' || /^(?:here|there|it|this|folder|directory|workspace|current|\.)$/i.test(path) ? null : path
}

function isPlainWord(text: string): boolean {
  return /^[a-z]+[?.!]*$/i.test(text)
}

function looksLikeFile(text: string): boolean {
  return /\.\w{1,8}["'`”’」]?$/.test(text)
}
