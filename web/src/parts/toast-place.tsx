import { notificationsStore } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useState } from 'react';
import { whenReachable } from '../service/when-reachable.ts';

const ToastList = lazy(whenReachable(() => import('./toast-list.tsx')));

/** Where toasts appear. What shows them is loaded with the first one. */
export function ToastPlace() {
  const [isNeeded, setIsNeeded] = useState(false);
  useEffect(() => {
    const unsubscribe = notificationsStore.subscribe(() => setIsNeeded(true));
    return () => void unsubscribe();
  }, []);
  if (!isNeeded) return null;
  return (
    <Suspense>
      <ToastList />
    </Suspense>
  );
}
