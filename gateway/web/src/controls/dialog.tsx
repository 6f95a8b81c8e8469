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
  /** Whether a wide screen has room for two columns in it. */
  isWide?: boolean
  children: ReactNode
}

/**
 * A dialog over the screen. It keeps the focus. Escape, its button or a press beside it closes it,
 * after a question if a form in it has entries.
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
