/** What concerns the whole app: no connection, nothing can be saved, the chat that was not opened. */
import { useAppState, useApp, useLocale } from '../../components/app-context.tsx'
import { Icon } from '../../components/icon.tsx'

export function Banners() {
  const app = useApp()
  const { t } = useLocale()
  const connection = useAppState((state) => state.connection)
  const storage = useAppState((state) => state.storage)
  const readOnly = useAppState((state) => state.info?.readOnly)
  const startedWith = useAppState((state) => state.startedWith)
  const isLost = connection.status !== 'online' && connection.attempt > 0
  return (
    <div className="banners" role="status">
      {isLost && (
        <div className="banner is-warn">
          <Icon name="warning" />
          <span>{connection.signedOut ? t.banner.signedOut : t.banner.offline}</span>
          <button type="button" onClick={app.retryConnection}>
            {t.banner.retryNow}
          </button>
        </div>
      )}
      {storage !== null && (
        <div className="banner is-bad">
          <Icon name="warning" />
          <span>
            <strong>{t.banner.storage}</strong> {storage.message} {storage.hint}
          </span>
        </div>
      )}
      {readOnly !== undefined && (
        <div className="banner is-warn">
          <Icon name="warning" />
          <span>
            <strong>{t.banner.readOnly}</strong> {readOnly}
          </span>
        </div>
      )}
      {startedWith === 'skipped' && (
        <div className="banner">
          <span>{t.startSkipped}</span>
          <button type="button" onClick={() => app.store.setState({ startedWith: 'plain' })}>
            {t.close}
          </button>
        </div>
      )}
    </div>
  )
}
