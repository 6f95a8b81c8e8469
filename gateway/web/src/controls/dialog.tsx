import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import {
  Dialog as AriaDialog,
  Heading,
  I18nProvider,
  Modal,
  ModalOverlay,
} from 'react-aria-components'
import { frameWords } from '../words/frame.ts'
import { languages } from '../words/languages/languages.ts'
import { language } from '../words/languages/texts.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { leaveEntries } from './entries/entries.ts'

interface Props {
  title: string
  isOpen: boolean
  onClose: () => void
  /** Whether the dialog has two columns on wide screens. */
  isWide?: boolean
  children: ReactNode
}

/**
 * Modal dialog that traps the focus. Escape, its button or a click outside closes it, after a
 * confirmation if a form in it has unsaved entries.
 */
export function Dialog({ title, isOpen, onClose, isWide = false, children }: Props) {
  const content = useRef<HTMLDivElement>(null)
  const close = () => leaveEntries(content.current, onClose)
  return (
    <I18nProvider locale={languages[language].locale}>
      <ModalOverlay
        className={styles.overlay}
        isOpen={isOpen}
        onOpenChange={(open) => {
          if (!open) close()
        }}
        isDismissable
      >
        <Modal className={styles.modal} data-wide={isWide || undefined}>
          <AriaDialog className={styles.dialog}>
            <div ref={content} className={styles.content}>
              <header className={styles.header}>
                <Heading slot="title">{title}</Heading>
                <Button kind="quiet" aria-label={frameWords.close} onClick={close}>
                  <X size={20} aria-hidden />
                </Button>
              </header>
              {children}
            </div>
          </AriaDialog>
        </Modal>
      </ModalOverlay>
    </I18nProvider>
  )
}
