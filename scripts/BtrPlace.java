import java.io.File;
import org.btrplace.json.JSON;
import org.btrplace.plan.event.ForgeVM;
import org.btrplace.plan.event.MigrateVM;
import org.btrplace.scheduler.choco.DefaultChocoScheduler;

/** BtrPlace's plan for an instance in its repair mode: how many VMs it migrates, or boots elsewhere in their place. */
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
