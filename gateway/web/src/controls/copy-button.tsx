import { Copy } from 'lucide-react'
import { useState } from 'react'
import { frameWords } from '../words/frame.ts'
import { Button } from './button.tsx'

/** Copies a text. Pages without TLS have no Clipboard API: there, a selection is copied. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState<boolean | null>(null)
  const copy = async () => setCopied((await copied(text)) || copySelected(text))
  return (
    <>
      <Button aria-label={`${frameWords.copy}: ${label}`} onClick={() => void copy()}>
        <Copy size={18} aria-hidden />
        {frameWords.copy}
      </Button>
      <span role="status">
        {isCopied && frameWords.copied}
        {isCopied === false && frameWords.notCopied}
      </span>
    </>
  )
}

async function copied(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard }
  if (clipboard === undefined) return false
  return await clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

function copySelected(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'off-screen'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
