// How many VMs does BtrPlace's plan for an instance migrate, or boot elsewhere in their place, in its repair mode?
// Needs BtrPlace's classes; run by scripts/compare/plans.
import java.io.File;
import org.btrplace.json.JSON;
import org.btrplace.plan.event.ForgeVM;
import org.btrplace.plan.event.MigrateVM;
import org.btrplace.scheduler.choco.DefaultChocoScheduler;

class BtrPlace {
    public static void main(String[] args) {
        var scheduler = new DefaultChocoScheduler();
        scheduler.doRepair(true);
        scheduler.setTimeLimit(Integer.parseInt(args[1]));
        var plan = scheduler.solve(JSON.readInstance(new File(args[0])));
        var moves = plan.getActions().stream().filter(action -> action instanceof MigrateVM || action instanceof ForgeVM);
        System.out.println(moves.count());
    }
}
