import { Link, useRouter } from '@tanstack/react-router'
import { faultOf } from '../api/faults.ts'
import { FaultBanner } from '../controls/form.tsx'
import { Screen } from '../controls/screen.tsx'
import { faultWords } from '../words/faults.ts'

/** The page of an address that no screen has. */
export function MissingPage() {
  return (
    <Screen title={faultWords.notFound} isNarrow>
      <p>{faultWords.notFoundText}</p>
      <p>
        <Link to="/">{faultWords.toHome}</Link>
      </p>
    </Screen>
  )
}

/** The page of a screen that could not be shown. */
export function BrokenPage({ error }: { error: unknown }) {
  const router = useRouter()
  const known = faultOf(error)
  // Only requests have words; any other error is a fault of the app.
  const isRequest = known?.status !== null || error instanceof TypeError
  const fault = known && { ...known, text: isRequest ? known.text : faultWords.broken }
  return (
    <main>
      <Screen title={faultWords.failed} isNarrow>
        {fault && <FaultBanner fault={fault} again={() => void router.invalidate()} />}
      </Screen>
    </main>
  )
}
