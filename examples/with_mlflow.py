"""evenhand inside MLflow: scores, intervals, signatures, table and report in a tracking store.

python examples/with_mlflow.py [FOLDER]      needs pip install 'evenhand[mlflow,plot]'
"""

import sys
import tempfile
from pathlib import Path

import mlflow
import pandas as pd

from evenhand.bridges.mlflow import log, metric

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()).resolve()
mlflow.set_tracking_uri(f"sqlite:///{folder}/runs.db")
experiment = mlflow.create_experiment("shared task", artifact_location=str(folder / "files"))
mlflow.set_experiment(experiment_id=experiment)

task = Path(__file__).parent / "shared-task"
gold = (task / "gold.txt").read_text().splitlines()
said = (task / "systems" / "balanced.txt").read_text().splitlines()

with mlflow.start_run(run_name="balanced") as run:
    log(gold, said, metrics=["macro_f1", "f1_of_averages", "accuracy", "mcc"], prefix="test_")
    # the other way round: our metrics inside MLflow's own evaluation
    mlflow.models.evaluate(
        data=pd.DataFrame({"gold": gold, "said": said}),
        targets="gold",
        predictions="said",
        extra_metrics=[metric("f1_of_averages"), metric("macro_f1@uniform")],
    )

back = mlflow.get_run(run.info.run_id)
for name, value in sorted(back.data.metrics.items()):
    print(f"{name:28} {value:.4f}")
print(back.data.tags["evenhand.signature.test_macro_f1"])
for file in mlflow.MlflowClient().list_artifacts(run.info.run_id, "evenhand"):
    print(file.path)
