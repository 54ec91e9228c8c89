// The floor of a turn: fetch, read the stream, run each asked command in a shell of its own, ask again until nothing is asked.
import { spawn } from 'node:child_process'

const [url, text] = process.argv.slice(2)
const tool = {
  type: 'function',
  function: {
    name: 'shell',
    description: 'Runs a command.',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
}
const messages = [{ role: 'user', content: text }]

async function ask() {
  const body = JSON.stringify({ model: 'scripted-model', tools: [tool], messages, stream: true })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench-key' }, body })
  const answer = { role: 'assistant', content: '', tool_calls: [] }
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta ?? {}
      answer.content += delta.content ?? ''
      for (const { index, id, function: part } of delta.tool_calls ?? []) {
        const call = (answer.tool_calls[index] ??= { id, type: 'function', function: { name: part.name, arguments: '' } })
        call.function.arguments += part.arguments ?? ''
      }
    }
  }
  if (answer.tool_calls.length === 0) delete answer.tool_calls
  return answer
}

function run(command) {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.on('close', () => resolve(out))
  })
}

for (;;) {
  const answer = await ask()
  messages.push(answer)
  if (answer.tool_calls === undefined) break
  for (const call of answer.tool_calls) {
    const content = await run(JSON.parse(call.function.arguments).command)
    messages.push({ role: 'tool', tool_call_id: call.id, content: content || '(no output)' })
  }
}
console.log(messages.at(-1).content)
