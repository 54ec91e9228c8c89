/** Does what a command says. What can be undone says so; what failed says why. */
import type { AgentView } from '@nuum/protocol'
import { useState } from 'react'
import { useApp, useLocale } from '../../components/app-context.tsx'
import { saveFile } from '../../components/save-file.ts'
import type { Task } from '../../components/task.tsx'
import type { App } from '../../store/state.ts'
import type { Command } from './commands.ts'

export function useCommands(agent: AgentView, task: Task): { run: (command: Command) => void; said: string } {
  const app = useApp()
  const { t } = useLocale()
  const [said, setSaid] = useState('')
  const acts: Record<Command, () => Promise<string>> = {
    fresh: async () => {
      await app.call('chat/fresh', { agent: agent.id })
      return t.command.done.fresh
    },
    retry: async () => {
      await app.call('chat/retry', { agent: agent.id })
      return ''
    },
    export: async () => {
      await exportTranscript(app, agent)
      return t.command.done.export
    },
    find: async () => {
      app.store.setState({ dialog: 'find' })
      return ''
    },
    model: async () => {
      app.store.setState({ dialog: 'model' })
      return ''
    },
    stop: async () => {
      await app.call('chat/stop', { agent: agent.id })
      return ''
    },
  }
  const run = (command: Command) => {
    setSaid('')
    void task.run(async () => setSaid(await acts[command]()))
  }
  return { run, said }
}

export async function exportTranscript(app: App, agent: AgentView): Promise<void> {
  const pieces: string[] = []
  for (let from: number | null = 1; from !== null; ) {
    const { markdown, next }: { markdown: string; next: number | null } = await app.call('transcript/export', { agent: agent.id, from })
    pieces.push(markdown)
    from = next
  }
  const name = agent.name.replace(/[^\p{L}\p{N} ._-]+/gu, '_').slice(0, 80)
  saveFile(`${name}.md`, new Blob(pieces, { type: 'text/markdown;charset=utf-8' }))
}
