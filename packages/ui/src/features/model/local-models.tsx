/** Model servers on this computer, asked only at the person's wish: what they have, and how much they really read at a time. */
import type { DetectedModel, DetectedServer } from '@nuum/protocol'
import { useState } from 'react'
import { useApp, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'

export function LocalModels({ onChoose }: { onChoose: (model: string) => void }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const [servers, setServers] = useState<readonly DetectedServer[] | null>(null)
  const detect = () =>
    void task.run(async () => {
      setServers((await app.call('provider/detect', {})).servers)
      await app.reloadProviders()
    })
  return (
    <section className="local-models">
      <Button icon="search" disabled={task.busy} onClick={detect}>
        {task.busy ? t.model.detecting : t.model.detect}
      </Button>
      <FailureNote failure={task.failure} />
      <div role="status">{servers?.length === 0 && !task.busy && <p className="hint">{t.model.detectNone}</p>}</div>
      {servers?.map((server) => (
        <div key={server.baseUrl}>
          <p className="model-group">
            {server.label}{' '}
            <bdi className="mono" dir="ltr">
              {server.baseUrl}
            </bdi>
          </p>
          <ul className="lines">
            {server.models.map((model) => (
              <li key={model.id}>
                <span>
                  <bdi className="mono" dir="ltr">
                    {model.id.slice(model.id.indexOf('/') + 1)}
                  </bdi>{' '}
                  <DetectedFacts model={model} />
                </span>
                <Button onClick={() => onChoose(model.id)} aria-label={`${t.model.use}: ${model.id}`}>
                  {t.model.use}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

function DetectedFacts({ model }: { model: DetectedModel }) {
  const { t, compact } = useLocale()
  const { window, maxWindow } = model
  return (
    <span className="model-facts">
      {window === undefined ? (
        <span>{t.model.windowGuess}</span>
      ) : maxWindow !== undefined && maxWindow > window ? (
        <span>{t.model.reads(compact(window), compact(maxWindow))}</span>
      ) : (
        <span>{t.model.window(compact(window))}</span>
      )}
      {model.loaded && <span>{t.model.loaded}</span>}
      {model.sees === true && (
        <span className="is-able">
          <Icon name="eye" /> {t.model.sees}
        </span>
      )}
      {model.tools === false && <span className="is-warn">{t.model.noTools}</span>}
    </span>
  )
}
