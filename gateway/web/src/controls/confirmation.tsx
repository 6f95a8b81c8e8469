import type { ReactNode } from 'react'
import { useChange } from '../api/changes.ts'
import { frameWords } from '../words/frame.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FaultBanner } from './form.tsx'
import rows from './rows.module.css'

interface Props {
  title: string
  /** Text of the button that sends the change. */
  action: string
  change: () => Promise<unknown>
  onClose: () => void
  /** Runs instead of `onClose` when the change has succeeded. */
  onDone?: () => void
  /** Disables the button while the user first has to do something else, which the text explains. */
  isIdle?: boolean
  children: ReactNode
}

/**
 * Dialog that asks for confirmation before something is removed or undone; shows why it is refused.
 */
export function Confirmation({ title, action, change, onClose, onDone, ...props }: Props) {
  const { isIdle = false, children } = props
  const { send, isSending, fault } = useChange(change)
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {fault && <FaultBanner fault={fault} />}
      <p>{children}</p>
      <div className={rows.toolbar}>
        <Button
          kind="danger"
          isBusy={isSending}
          isIdle={isIdle}
          onClick={() => send(undefined, onDone ?? onClose)}
        >
          {action}
        </Button>
        <Button onClick={onClose}>{frameWords.cancel}</Button>
      </div>
    </Dialog>
  )
}
