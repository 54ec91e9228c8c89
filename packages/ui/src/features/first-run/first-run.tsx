/** The three first steps, once: a mind, a name, a first word. Each can be skipped; nothing here can't be changed later. */
import { useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { Form, keyOf } from '../../components/form.tsx'
import { createImeGuard } from '../../components/ime.ts'
import { FailureNote, useTask } from '../../components/task.tsx'
import { AgentFields, type NewAgent, startAgent, useCreateAgent, useTemplate } from '../agents/new-agent.tsx'
import { ModelPicker } from '../model/model-picker.tsx'
import { TemplatePicker } from '../agents/template-picker.tsx'
import { ChooseMind } from './choose-mind.tsx'

export function FirstRun() {
  const app = useApp()
  const { t } = useLocale()
  const [step, setStep] = useState(1)
  const [agent, setAgent] = useState<NewAgent>(() => startAgent('guide/guide'))
  const [agentId, setAgentId] = useState<string | null>(null)
  const home = useAppState((state) => state.info?.home)
  const finish = () => {
    app.setSetting('firstRunDone', true).catch((cause: unknown) => console.warn('the first steps could not be marked as done', cause))
    app.go(agentId === null ? { view: 'start' } : { view: 'agent', agentId })
  }
  const onMind = (model: string) => {
    setAgent({ ...agent, model })
    setStep(2)
  }
  return (
    <main className="first-run" aria-label={t.firstRun.label}>
      <div className="first-run-box">
        <header>
          <p className="hint">{t.firstRun.step(step)}</p>
          <progress max={3} value={step} aria-label={t.firstRun.step(step)} />
          <Button look="quiet" onClick={finish}>
            {t.firstRun.skip}
          </Button>
        </header>
        {step === 1 && <ChooseMind onChosen={onMind} />}
        {step === 2 && (
          <NameStep
            agent={agent}
            set={setAgent}
            onBack={() => setStep(1)}
            onMade={(id) => {
              setAgentId(id)
              setStep(3)
            }}
          />
        )}
        {step === 3 && agentId !== null && <SayStep agentId={agentId} name={agent.name} onSaid={finish} />}
        {home !== undefined && <p className="hint first-run-home">{t.firstRun.home(home)}</p>}
      </div>
    </main>
  )
}

type NameStepProps = { agent: NewAgent; set: (agent: NewAgent) => void; onBack: () => void; onMade: (id: string) => void }

function NameStep({ agent, set, onBack, onMade }: NameStepProps) {
  const { t } = useLocale()
  const task = useTask()
  const create = useCreateAgent()
  const setTemplate = useTemplate(agent, set)
  return (
    <Form onSubmit={() => void task.run(async () => onMade(await create(agent)))}>
      <h1>{t.firstRun.title2}</h1>
      <p className="lead">{t.firstRun.lead2}</p>
      <TemplatePicker value={agent.template} onChange={setTemplate} />
      <AgentFields agent={agent} set={set} />
      <ModelPicker value={agent.model} onChange={(model) => set({ ...agent, model })} />
      <FailureNote failure={task.failure} />
      <div className="row">
        <Button type="submit" look="main" disabled={task.busy || agent.name.trim() === ''}>
          {t.firstRun.next}
        </Button>
        <Button look="quiet" disabled={task.busy} onClick={onBack}>
          {t.back}
        </Button>
      </div>
    </Form>
  )
}

function SayStep({ agentId, name, onSaid }: { agentId: string; name: string; onSaid: () => void }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const [ime] = useState(createImeGuard)
  const [text, setText] = useState('')
  const say = (words: string) =>
    void task.run(async () => {
      await app.send(agentId, { text: words.trim(), spans: [] })
      onSaid()
    })
  return (
    <Form onSubmit={() => say(text)}>
      <h1 dir="auto">{t.firstRun.title3(name)}</h1>
      <p className="lead">{t.firstRun.lead3}</p>
      <textarea
        rows={3}
        dir="auto"
        autoFocus
        aria-label={t.composer.label(name)}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onCompositionStart={ime.onCompositionStart}
        onCompositionEnd={(event) => ime.onCompositionEnd(event.nativeEvent)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || ime.isComposing(keyOf(event))) return
          event.preventDefault()
          if (text.trim() !== '' && !task.busy) say(text)
        }}
      />
      <div className="row">
        {t.firstRun.suggestions.map((words) => (
          <Button key={words} disabled={task.busy} onClick={() => say(words)}>
            {words}
          </Button>
        ))}
      </div>
      <FailureNote failure={task.failure} />
      <div className="row">
        <Button type="submit" look="main" icon="send" disabled={task.busy || text.trim() === ''}>
          {t.firstRun.finish}
        </Button>
      </div>
    </Form>
  )
}
