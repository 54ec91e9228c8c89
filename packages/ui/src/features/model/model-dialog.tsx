/** Chooses a model: what it reads, costs and can do; ready, or why not; those on this computer are looked for on request. */
import type { Failure, ModelView } from '@nuum/protocol'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field, Form, keyOf } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { createImeGuard } from '../../components/ime.ts'
import { FailureNote } from '../../components/task.tsx'
import { isGuide } from '../../store/home.ts'
import { LocalModels } from './local-models.tsx'
import { ModelFacts } from './model-facts.tsx'
import { groupModels, type ModelGroup } from './model-list.ts'

type ModelDialogProps = {
  readonly value: string
  readonly onChoose: (model: string) => void
  readonly onClose: () => void
  readonly failure?: Failure | null
  readonly busy?: boolean
}

export function ModelDialog({ value, onChoose, onClose, failure = null, busy = false }: ModelDialogProps) {
  const { t } = useLocale()
  const listId = useId()
  const models = useAppState((state) => state.models)
  const [query, setQuery] = useState('')
  const groups = useMemo(() => groupModels(models, query), [models, query])
  const { chosen, move, point } = useChosen(groups, value, listId)
  const [ime] = useState(createImeGuard)
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (ime.isComposing(keyOf(event))) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event.key === 'ArrowDown' ? 1 : -1)
    else if (event.key === 'Enter' && chosen !== undefined && !busy) onChoose(chosen.id)
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={t.model.title} onClose={onClose}>
      <div className="model-dialog" aria-busy={busy}>
        <input
          type="search"
          role="combobox"
          dir="auto"
          data-autofocus
          autoComplete="off"
          value={query}
          aria-label={t.model.search}
          placeholder={t.model.search}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={chosen === undefined ? undefined : optionId(listId, chosen)}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            point(null)
          }}
          onCompositionStart={ime.onCompositionStart}
          onCompositionEnd={(event) => ime.onCompositionEnd(event.nativeEvent)}
          onKeyDown={onKeyDown}
        />
        <FailureNote failure={failure} />
        <div className="model-list" id={listId} role="listbox" aria-label={t.model.title} tabIndex={-1}>
          {groups.map((group) => (
            <Group key={group.provider} group={group} value={value} chosen={chosen} listId={listId} onChoose={onChoose} point={point} />
          ))}
        </div>
        <OwnServers />
        {groups.length === 0 && <p className="hint">{t.model.none}</p>}
        <p className="hint model-keys">{t.model.keys}</p>
        <LocalModels onChoose={onChoose} />
        <OtherModel onChoose={onChoose} />
      </div>
    </Dialog>
  )
}

/** Servers that the person named are asked for their models when the list opens; one that gives none is said to. */
function OwnServers() {
  const app = useApp()
  const { t } = useLocale()
  const names = useAppState((state) => state.providers.flatMap(({ name, builtin, ready }) => (ready && !builtin ? [name] : [])).join(' '))
  const [silent, setSilent] = useState<readonly string[]>([])
  useEffect(() => {
    let isHere = true
    for (const name of names.split(' ').filter(Boolean))
      app.listServer(name).catch(() => isHere && setSilent((before) => [...before.filter((one) => one !== name), name]))
    return () => {
      isHere = false
    }
  }, [app, names])
  return (
    <div role="status">
      {silent.map((name) => (
        <p key={name} className="hint">
          {t.model.silent(name)}
        </p>
      ))}
    </div>
  )
}

const optionId = (listId: string, model: ModelView): string => `${listId}-${model.id}`

/** The option the keys point at: the one in use, or the first of what was found. */
function useChosen(groups: readonly ModelGroup[], value: string, listId: string) {
  const [pointed, point] = useState<string | null>(null)
  const all = groups.flatMap(({ models }) => models)
  const chosen = all.find(({ id }) => id === pointed) ?? all.find(({ id }) => id === value) ?? all[0]
  const byKey = useRef(true)
  useEffect(() => {
    if (chosen && byKey.current) document.getElementById(optionId(listId, chosen))?.scrollIntoView({ block: 'nearest' })
  }, [chosen, listId])
  const move = (step: number) => {
    byKey.current = true
    const at = chosen === undefined ? -1 : all.indexOf(chosen)
    point(all[(at + step + all.length) % all.length]?.id ?? null)
  }
  const pointAt = (id: string | null) => {
    byKey.current = id === null
    point(id)
  }
  return { chosen, move, point: pointAt }
}

type GroupProps = {
  readonly group: ModelGroup
  readonly value: string
  readonly chosen: ModelView | undefined
  readonly listId: string
  readonly onChoose: (model: string) => void
  readonly point: (id: string) => void
}

function Group({ group, value, chosen, listId, onChoose, point }: GroupProps) {
  const { t } = useLocale()
  const label = useAppState((state) => state.providers.find(({ name }) => name === group.provider)?.label ?? group.provider)
  return (
    <div role="group" aria-label={label}>
      <p className="model-group" role="presentation">
        {label}
      </p>
      {group.why !== null && (
        <p className="hint group-why" role="presentation">
          {group.why}
        </p>
      )}
      {group.models.map((model) => (
        <div
          key={model.id}
          id={optionId(listId, model)}
          role="option"
          tabIndex={-1}
          className="model-option"
          aria-selected={model.id === chosen?.id}
          onClick={() => onChoose(model.id)}
          onPointerMove={() => model.id !== chosen?.id && point(model.id)}
        >
          <span className="model-title">
            <strong dir="auto">{isGuide(model.id) ? t.guideModel : model.label}</strong>
            <bdi className="mono model-id" dir="ltr">
              {model.id}
            </bdi>
            {model.id === value && (
              <span className="is-current">
                <Icon name="check" /> {t.model.current}
              </span>
            )}
            {!model.ready && <span className="is-warn">{t.model.notReady}</span>}
          </span>
          <ModelFacts model={model} />
          {!model.ready && model.why !== undefined && group.why === null && <span className="hint">{model.why}</span>}
        </div>
      ))}
    </div>
  )
}

function OtherModel({ onChoose }: { onChoose: (model: string) => void }) {
  const { t } = useLocale()
  const [id, setId] = useState('')
  return (
    <details className="other-model">
      <summary>{t.model.other}</summary>
      <Form onSubmit={() => id.includes('/') && onChoose(id)}>
        <Field label={t.agent.otherModelLabel} hint={t.agent.otherModelHint}>
          {(ids) => (
            <input
              {...ids}
              type="text"
              dir="ltr"
              className="mono"
              spellCheck={false}
              value={id}
              onChange={(event) => setId(event.currentTarget.value.trim())}
            />
          )}
        </Field>
        <Button type="submit" disabled={!/^[^/\s]+\/\S+$/.test(id)}>
          {t.model.use}
        </Button>
      </Form>
    </details>
  )
}
