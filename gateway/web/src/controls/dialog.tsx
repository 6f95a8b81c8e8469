import { X } from 'lucide-react'
import type { ReactNode } from 'react'
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

/** A dialog over the screen. It keeps the focus, and Escape or its button closes it. */
export function Dialog({ title, isOpen, onClose, children }: Props) {
  return (
    <I18nProvider locale={languages[language].locale}>
      <ModalOverlay
        className={styles.overlay}
        isOpen={isOpen}
        onOpenChange={(open) => {
          if (!open) onClose()
        }}
        isDismissable
      >
        <Modal className={styles.modal}>
          <AriaDialog className={styles.dialog}>
            <header className={styles.header}>
              <Heading slot="title">{title}</Heading>
              <Button kind="quiet" aria-label={frameWords.close} onClick={onClose}>
                <X size={20} aria-hidden />
              </Button>
            </header>
            {children}
          </AriaDialog>
        </Modal>
      </ModalOverlay>
    </I18nProvider>
  )
}
