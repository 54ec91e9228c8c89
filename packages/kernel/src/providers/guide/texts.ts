/** All that the built-in guide says. One table a language, of one shape. `{…}` is filled in. */
import type { Language, Talk } from './intents.ts'

export type GuideTexts = {
  readonly intro: string
  readonly talk: Readonly<Record<Talk['kind'], string>>
  readonly doing: {
    readonly list: string
    readonly read: string
    readonly write: string
    readonly run: string
    readonly search: string
    readonly here: string
  }
  readonly done: {
    readonly list: string
    readonly read: string
    readonly write: string
    readonly run: string
    readonly search: string
    readonly other: string
  }
  readonly failed: string
  readonly cutNote: string
  readonly noTool: string
}

const EN_COMMANDS = `- **list files** — or \`list files in src\`
- **read** a file — \`read notes.txt\`
- **write** a file — \`write "hello" to notes.txt\`
- **run** a command in this agent's own shell — \`run ls -la\`
- **search** in files — \`search for TODO in src\`
- **explain this screen**
- **connect a model** — where a key goes, and how to use a local server`

const ZH_COMMANDS = `- **列出文件** —— 或「列出 src 目录下的文件」
- **读取**文件 —— 「读取 notes.txt」
- **写入**文件 —— 「把“你好”写入 notes.txt」
- **执行**命令（在这个智能体自己的终端里）—— 「执行 ls -la」
- **搜索**文件内容 —— 「在 src 里搜索 TODO」
- **解释这个界面**
- **连接模型** —— 密钥填在哪里，怎样使用本地服务器`

const en: GuideTexts = {
  intro:
    "*I am Nuum's built-in guide: a fixed set of answers that is part of the program. I am not an AI and no model is called. What I do with files and commands is real.*",
  talk: {
    greet: `Hello. Here is what I can do until you connect a model:\n\n${EN_COMMANDS}`,
    thanks: 'You are welcome. Say **help** to see what I can do.',
    bye: 'See you. Everything here stays on your disk and will be where you left it.',
    help: `I understand these requests, in English and Chinese:\n\n${EN_COMMANDS}\n\nFor anything else this agent needs a model: say **connect a model**.`,
    about: `I am the built-in guide of Nuum. I am not an AI: I match your words against a fixed list and run this agent's real tools. No model is called and nothing leaves this computer.\n\nOnce you connect a model it answers in my place; this agent's transcript, files and shell stay.`,
    screen: `This is what you see:

- **Left**: your agents. Each has its own transcript, its own workspace folder and its own shell, and they stay where they were left.
- **Middle**: the transcript of the chosen agent. Every tool call is a card that unfolds to what was asked and what came back. When something needs your consent, a question appears here.
- **Below**: where you type. Enter sends, Shift+Enter breaks the line; drafts are kept. While an agent works, **Stop** ends it at once.
- **Settings**: model providers with keys and a *Test* button.

All of it is kept in files on your own disk.`,
    connect: `Three ways to connect a model:

1. **In the app**: open *Settings → Providers*, paste a key for Anthropic, OpenAI or DeepSeek, and press *Test*.
2. **By environment variable**, set before Nuum starts: \`ANTHROPIC_API_KEY\`, \`OPENAI_API_KEY\` or \`DEEPSEEK_API_KEY\` (and \`ANTHROPIC_BASE_URL\`, \`OPENAI_BASE_URL\` or \`DEEPSEEK_BASE_URL\` for another address).
3. **Your own or a local server** (Ollama, LM Studio, llama.cpp, any OpenAI-compatible address), in a terminal:

\`\`\`sh
npx nuum providers set myserver --wire chat --base-url http://127.0.0.1:1234/v1 --no-key
npx nuum providers test myserver
\`\`\`

With a key that is in a variable, write \`--key-env VARIABLE\` in place of \`--no-key\`. Then choose the model for this agent, for example \`myserver/name-of-the-model\`. The agent keeps its transcript, files and shell.`,
    model: `I can't change the model myself, you can:

- **In the app**: click the model's name beside this agent's name, and choose another. What isn't ready yet says what it needs.
- **In a terminal**: \`npx nuum agents edit NAME --model PROVIDER/MODEL\`

It holds from the next message on. Transcript, files and shell stay. With no model connected yet, say **connect a model**.`,
    again: `I can't take an answer back myself, and my answers are fixed: the same words get the same answer. But you can have any message answered anew:

- **In the app**: *Answer anew* at the last answer. To say it in other words: *Edit and send again* at your message.
- **In a terminal**: \`npx nuum retry NAME\`

The earlier answer stays readable, and you can go back to it.`,
    back: `I can't go back myself, you can, and nothing is lost by it:

- **To an earlier point**: *Go back to here* at that message. What came later stays readable, and you can go back to it as well.
- **With other words**: *Edit and send again* at your message.
- **From the beginning**: type \`/fresh\`. The model is then shown nothing of what is above.

What was done to files and by commands is not undone by it.`,
    resumed: 'The last run was interrupted before it ended. I take up nothing on my own: tell me again what you would like.',
    unknown: `I don't understand that: I am a fixed list of answers, not an AI. Here is what I can do:\n\n${EN_COMMANDS}`,
  },
  doing: {
    list: 'I list the files in {path}.',
    read: 'I read `{path}`.',
    write: 'I write the file `{path}`.',
    run: 'I run this in the shell: `{command}`',
    search: 'I search for “{text}” in {path}.',
    here: 'the workspace',
  },
  done: {
    list: 'In {path} there is:',
    read: '`{path}` holds:',
    write: 'Done: `{path}` is written ({count} characters).',
    run: 'The shell answered:',
    search: 'Found for “{text}”:',
    other: 'The tool answered:',
  },
  failed: 'That did not work. The tool says:',
  cutNote: '*(Shown here up to {count} characters; the tool card above holds more.)*',
  noTool: "This agent does not have the tool `{tool}` here, so I can't do that.",
}

const zh: GuideTexts = {
  intro: '*我是 Nuum 的内置向导：程序自带的一组固定回答。我不是 AI，也没有调用任何模型。但我对文件和命令所做的操作都是真实的。*',
  talk: {
    greet: `你好。在连接模型之前，我可以做这些：\n\n${ZH_COMMANDS}`,
    thanks: '不客气。说「帮助」可以查看我能做什么。',
    bye: '再见。这里的一切都保存在你的磁盘上，下次还在原处。',
    help: `我听得懂下面这些请求（中文或英文）：\n\n${ZH_COMMANDS}\n\n其他事情需要给这个智能体连接一个模型：请说「连接模型」。`,
    about:
      '我是 Nuum 的内置向导。我不是 AI：我只是把你的话和一份固定的列表对照，然后运行这个智能体真实的工具。没有调用任何模型，也没有任何内容离开这台电脑。\n\n连接模型之后，就由模型来回答；这个智能体的记录、文件和终端都会保留。',
    screen: `你看到的界面是这样的：

- **左侧**：你的智能体。每个智能体都有自己的对话记录、自己的工作文件夹和自己的终端，并且会保持你离开时的样子。
- **中间**：当前智能体的对话记录。每次工具调用都是一张卡片，展开可以看到请求和结果。需要你同意的事情会在这里提问。
- **下方**：输入框。Enter 发送，Shift+Enter 换行；草稿会保留。智能体工作时，按**停止**可以立即结束。
- **设置**：模型供应商、密钥和*测试*按钮。

所有内容都保存在你自己磁盘上的文件里。`,
    connect: `连接模型有三种方法：

1. **在应用里**：打开*设置 → 供应商*，粘贴 Anthropic、OpenAI 或 DeepSeek 的密钥，然后按*测试*。
2. **用环境变量**，在启动 Nuum 之前设置：\`ANTHROPIC_API_KEY\`、\`OPENAI_API_KEY\` 或 \`DEEPSEEK_API_KEY\`（其他地址用 \`ANTHROPIC_BASE_URL\`、\`OPENAI_BASE_URL\`、\`DEEPSEEK_BASE_URL\`）。
3. **自己的或本地的服务器**（Ollama、LM Studio、llama.cpp，或任何兼容 OpenAI 的地址），在终端里执行：

\`\`\`sh
npx nuum providers set myserver --wire chat --base-url http://127.0.0.1:1234/v1 --no-key
npx nuum providers test myserver
\`\`\`

如果密钥在某个变量里，就把 \`--no-key\` 换成 \`--key-env 变量名\`。然后为这个智能体选择模型，例如 \`myserver/模型名\`。智能体的记录、文件和终端都会保留。`,
    model: `我不能自己更换模型，但你可以：

- **在应用里**：点击智能体名称旁边的模型名，选择另一个。还不能用的模型会说明缺少什么。
- **在终端里**：\`npx nuum agents edit 名称 --model 供应商/模型\`

从下一条消息开始生效，记录、文件和终端都会保留。如果还没有连接模型，请说「连接模型」。`,
    again: `我不能自己收回回答，而且我的回答是固定的：同样的话得到同样的回答。但你可以让任何一条消息重新得到回答：

- **在应用里**：在最后一个回答处选择*重新回答*。想换个说法：在你的消息处选择*编辑后重新发送*。
- **在终端里**：\`npx nuum retry 名称\`

之前的回答仍可查看，也可以再回到那里。`,
    back: `我不能自己回退，但你可以，而且不会丢失任何内容：

- **回到之前的某处**：在那条消息处选择*回到这里*。之后的内容仍可查看，也可以再回去。
- **换个说法**：在你的消息处选择*编辑后重新发送*。
- **从头开始**：输入 \`/fresh\`。模型不再看到上面的内容。

对文件的改动和执行过的命令不会因此撤销。`,
    resumed: '上一次运行在结束之前被中断了。我不会自己继续：请再说一次你想做什么。',
    unknown: `这句话我听不懂：我只是一组固定的回答，不是 AI。我可以做这些：\n\n${ZH_COMMANDS}`,
  },
  doing: {
    list: '我来列出{path}里的文件。',
    read: '我来读取 `{path}`。',
    write: '我来写入文件 `{path}`。',
    run: '我在终端里执行：`{command}`',
    search: '我在{path}里搜索「{text}」。',
    here: '工作文件夹',
  },
  done: {
    list: '{path}里有：',
    read: '`{path}` 的内容：',
    write: '完成：`{path}` 已写入（{count} 个字符）。',
    run: '终端的回答：',
    search: '「{text}」的搜索结果：',
    other: '工具的回答：',
  },
  failed: '没有成功。工具的说明：',
  cutNote: '*（这里最多显示 {count} 个字符；上面的工具卡片里有更多。）*',
  noTool: '这个智能体在这里没有工具 `{tool}`，所以我做不了。',
}

export const GUIDE_TEXTS: Readonly<Record<Language, GuideTexts>> = { en, zh }

/** Puts values in for `{name}`. A value is never read as a pattern. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
