import type { ReactNode } from 'react'
import { chooseLanguage, languageNames } from '../../words/languages/languages.ts'
import { language } from '../../words/languages/texts.ts'
import { signInWords } from '../../words/sign-in.ts'
import styles from './gate.module.css'

interface Props {
  title: string
  children: ReactNode
  /** Links below the form: to register, or to reset the password. */
  ways?: ReactNode
}

/** Layout of the screens without a session: the product, one heading, one form. */
export function Gate({ title, children, ways }: Props) {
  return (
    <main className={styles.gate}>
      <title>{`${title} – Coffer`}</title>
      <div className={styles.brand}>
        <p className={styles.mark}>{signInWords.product}</p>
        <p className={styles.promise}>{signInWords.promise}</p>
      </div>
      <div className={styles.card}>
        <h1 tabIndex={-1}>{title}</h1>
        {children}
      </div>
      {ways && <div className={styles.ways}>{ways}</div>}
      <nav aria-label={signInWords.languages} className={styles.languages}>
        {languageNames.map(({ value, text }) => (
          <button
            key={value}
            type="button"
            lang={value}
            aria-pressed={value === language}
            onClick={() => chooseLanguage(value)}
          >
            {text}
          </button>
        ))}
      </nav>
    </main>
  )
}
