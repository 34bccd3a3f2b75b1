import { MemoryBackend } from '../../src/backend/index.js';
import { backendContract } from './backend-contract.js';

backendContract(
  'MemoryBackend',
  async () => {
    const backend = new MemoryBackend();
    return { backend, close: () => backend.close() };
  },
  200,
);
