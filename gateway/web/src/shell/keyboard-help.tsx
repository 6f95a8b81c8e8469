import { Dialog } from '../controls/dialog.tsx'
import rows from '../controls/rows.module.css'
import { frameWords, keyWords } from '../words/frame.ts'
import styles from './palette/palette.module.css'
import { places } from './places.ts'

/** List of the keyboard shortcuts. */
export function Help({ onClose }: { onClose: () => void }) {
  const keys = [
    ...Object.entries(keyWords.keys),
    ...places.map(({ key, text }) => [`g ${key}`, text] as const),
  ]
  return (
    <Dialog title={frameWords.keyboard} isOpen onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(([key, text]) => (
          <div key={key} className={rows.row}>
            <dt>{text}</dt>
            <dd>
              {key.split(' ').map((one) => (
                <kbd key={one}>{one === 'Ctrl' ? keyWords.control : one}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
