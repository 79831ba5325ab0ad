import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import './theme/page.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createAppRouter } from './app/router.ts';
import { KeyBindings } from './keys/key-bindings.ts';
import { KeysContext, useKeyboard } from './keys/use-keys.ts';
import { ToastPlace } from './parts/toast-place.tsx';
import { createQueryClient } from './service/query-client.ts';
import { allowOwnStyles } from './service/style-nonce.ts';
import { SessionEnd } from './session/session-end.ts';
import { SessionEndWatch } from './session/session-end-watch.tsx';
import { meQuery } from './session/session-queries.ts';
import { watchUser } from './session/watch-user.ts';
import { resolveVariables, theme } from './theme/theme.ts';

const nonce = allowOwnStyles();
const sessionEnd = new SessionEnd();
const queries = createQueryClient(
  () => sessionEnd.note(),
  // The role may have been lowered.
  () => void queries.invalidateQueries({ queryKey: meQuery.queryKey }),
);
watchUser(queries, () => window.location.reload());
const router = createAppRouter({ queries, sessionEnd });
const keys = new KeyBindings();

function App() {
  useKeyboard(keys);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <KeysContext value={keys}>
          <RouterProvider router={router} />
          <ToastPlace />
          <SessionEndWatch sessionEnd={sessionEnd} />
        </KeysContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}

const place = document.getElementById('root');
if (place === null) throw new Error('the page has no place for the dashboard');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
