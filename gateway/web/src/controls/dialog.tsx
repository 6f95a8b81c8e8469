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

interface Props {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}

/**
 * A dialog over the screen. It keeps the focus. Escape or its button closes it; a press beside it
 * does so as long as nothing was typed.
 */
export function Dialog({ title, isOpen, onClose, children }: Props) {
  const isEdited = useRef(false)
  const edit = () => {
    isEdited.current = true
  }
  return (
    <I18nProvider locale={languages[language].locale}>
      <ModalOverlay
        className={styles.overlay}
        isOpen={isOpen}
        onOpenChange={(open) => {
          if (!open) onClose()
        }}
        isDismissable
        shouldCloseOnInteractOutside={() => !isEdited.current}
      >
        <Modal className={styles.modal}>
          <AriaDialog className={styles.dialog}>
            <div className={styles.content} onInput={edit}>
              <header className={styles.header}>
                <Heading slot="title">{title}</Heading>
                <Button kind="quiet" aria-label={frameWords.close} onClick={onClose}>
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
