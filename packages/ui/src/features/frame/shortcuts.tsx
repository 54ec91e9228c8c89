import { isMac } from '../../components/platform.ts'
import { useLocale } from '../../components/app-context.tsx'
import { Dialog } from '../../components/dialog.tsx'

/** Every key that does something, in one list. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const { t } = useLocale()
  const mod = isMac() ? '⌘' : 'Ctrl+'
  const alt = isMac() ? '⌥' : 'Alt+'
  const list: readonly (readonly [string, string])[] = [
    [`${mod}K`, t.shortcuts.find],
    [`${alt}↓ ${alt}↑`, t.shortcuts.next],
    [`${mod}I`, t.shortcuts.inbox],
    [`${mod}F`, t.shortcuts.findInChat],
    ['Home  End', t.shortcuts.firstMessage],
    ['F6', t.shortcuts.region],
    ['Enter', t.shortcuts.send],
    ['Shift+Enter', t.shortcuts.breakLine],
    [`${mod}Enter`, t.shortcuts.steer],
    [`${mod}Shift+Enter`, t.shortcuts.stopSend],
    ['/', t.shortcuts.commands],
    [t.shortcuts.escTwice, t.shortcuts.stop],
    ['A  D', t.shortcuts.allowDeny],
    ['J  K', t.shortcuts.moveCards],
    [`${mod}/`, t.shortcuts.shortcuts],
  ]
  return (
    <Dialog title={t.shortcuts.title} onClose={onClose}>
      <dl className="shortcuts">
        {list.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
