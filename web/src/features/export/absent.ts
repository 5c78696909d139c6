// Stands for the parts of jsPDF that are never used; see vite.config.ts.
export default undefined;
